# Each target does all it needs: installs what is missing (tools/setup.sh), configures a preset (CMakePresets.json),
# builds and runs. A clone needs nothing before it but make.

JOBS ?= $(shell nproc)
NATIVE ?= 1
CUDA ?= 1
CUDA_ARCH ?=
PREFIX ?= /usr/local
SLOW ?= 0
SETUP ?= 1
BENCH ?= *
CI ?= false

.DEFAULT_GOAL := help
.PHONY: help demo pictures test dev portable cuda bench sanitize asan tsan lint format install clean

help:
	@echo 'make demo       build, find the Morse-Smale complex of a field on a mesh and draw it'
	@echo 'make pictures   build, make the pictures of the documents'
	@echo 'make test       build and run the tests'
	@echo 'make bench      build and run the benchmarks (BENCH=name* for some)'
	@echo 'make sanitize   run the tests under the address, undefined and thread sanitizers'
	@echo 'make lint       check the format, the layers, names and likely bugs'
	@echo 'make format     format the sources'
	@echo 'make install    install the library and the command line (PREFIX=/usr/local)'
	@echo 'make dev        build and test without CUDA, warnings being errors'
	@echo 'make portable   build the library and the program as where there is neither CUDA nor VTK, warnings being errors'
	@echo 'make cuda       build and test with CUDA, an error where there is no nvcc or no GPU'
	@echo 'make clean      remove build/'
	@echo
	@echo 'Options: NATIVE=0 for any processor of the kind, CUDA=0 without CUDA, CUDA_ARCH="80-real;90" for these GPUs,'
	@echo '         SLOW=1 with the slow tests, JOBS=n at once, SETUP=0 installs no packages.'

is_on = $(filter-out 0 off OFF no false,$(1))
on_off = $(if $(call is_on,$(1)),ON,OFF)

# $(call setup,GROUPS): installs the packages of these groups that are missing.
setup = $(if $(call is_on,$(SETUP)),tools/setup.sh $(1),:)

# $(call configure,PRESET,FLAGS): with Ninja where it is.
configure = CMAKE_GENERATOR="$$(command -v ninja >/dev/null && echo Ninja || echo 'Unix Makefiles')" \
  cmake --preset $(1) $(2)
build = cmake --build build/$(1) --parallel $(JOBS) $(if $(2),--target $(2))

# What the options above mean for the presets meant for use; dev, asan and tsan stand as they are. In CI the tests of
# these builds are the only ones, so containers are checked here.
release_flags = -DTESSERA_NATIVE=$(call on_off,$(NATIVE)) -DTESSERA_WERROR=$(call on_off,$(CI)) \
  $(if $(call is_on,$(CI)),-DCMAKE_CXX_FLAGS=-D_GLIBCXX_ASSERTIONS) \
  $(if $(CUDA_ARCH),-D CMAKE_CUDA_ARCHITECTURES="$(CUDA_ARCH)",-U CMAKE_CUDA_ARCHITECTURES)
release_cuda = -DTESSERA_CUDA=$(call on_off,$(CUDA))
# The demo needs CUDA only where a GPU answers, unless CUDA was asked for.
has_gpu = $(shell nvidia-smi -L 2>/dev/null | grep -c '^GPU')
demo_cuda = -DTESSERA_CUDA=$(call on_off,$(if $(filter file,$(origin CUDA)),$(has_gpu),$(CUDA)))
without_tests = -DTESSERA_TESTS=OFF -DTESSERA_BENCHMARKS=OFF -DTESSERA_EXAMPLES=OFF
only_benchmarks = -DTESSERA_TESTS=OFF -DTESSERA_BENCHMARKS=ON -DTESSERA_EXAMPLES=OFF
with_tests = -DTESSERA_PICTURES=ON -DTESSERA_TESTS=ON -DTESSERA_BENCHMARKS=ON -DTESSERA_EXAMPLES=ON

# $(call run_tests,PRESET,LABELS): all but those with one of the labels, as in "|gpu".
run_tests = ctest --preset $(1) --parallel $(JOBS) -LE '^($(if $(call is_on,$(SLOW)),,slow)$(2))$$'

# The thread sanitizer of g++ 12 and 13 cannot place its memory where the kernel moves addresses far.
fixed_addresses = $$(setarch -R true 2>/dev/null && echo setarch -R)

demo:
	@$(call setup,build pictures)
	$(call configure,release,$(release_flags) $(demo_cuda) $(without_tests))
	$(call build,release,tessera)
	@tools/demo.sh

pictures:
	@$(call setup,build pictures)
	$(call configure,release,$(release_flags) $(demo_cuda) $(without_tests))
	$(call build,release,tessera)
	@tools/pictures.sh build/release/bin/tessera

test:
	@$(call setup,build pictures test)
	$(call configure,release,$(release_flags) $(release_cuda) $(with_tests))
	$(call build,release)
	$(call run_tests,release)

dev:
	@$(call setup,build pictures test)
	$(call configure,dev,$(with_tests))
	$(call build,dev)
	$(call run_tests,dev)

portable:
	@$(call setup,build)
	$(call configure,dev,$(without_tests) -DTESSERA_PICTURES=OFF)
	$(call build,dev)
	build/dev/bin/tessera --version

cuda:
	@$(call setup,build pictures test)
	$(call configure,cuda,$(release_flags) $(with_tests))
	$(call build,cuda)
	$(call run_tests,cuda,|gpu)
	@tools/test_gpu.sh cuda $(JOBS)

bench:
	@$(call setup,build pictures)
	$(call configure,release,$(release_flags) $(release_cuda) $(only_benchmarks))
	$(call build,release,benchmarks)
	@tools/bench.sh build/release '$(BENCH)'

sanitize: asan tsan

asan:
	@$(call setup,build pictures test)
	$(call configure,asan)
	$(call build,asan)
	$(call run_tests,asan)

tsan:
	@$(call setup,build pictures test)
	$(call configure,tsan)
	$(fixed_addresses) $(call build,tsan)
	$(fixed_addresses) $(call run_tests,tsan)

lint:
	@$(call setup,build pictures lint)
	$(call configure,dev,$(with_tests))
	@tools/lint.sh build/dev $(JOBS)

format:
	@$(call setup,format)
	@tools/format.sh

install:
	@$(call setup,build pictures)
	$(call configure,release,$(release_flags) $(release_cuda) $(without_tests))
	$(call build,release)
	cmake --install build/release --prefix '$(abspath $(PREFIX))'

clean:
	rm -rf build
