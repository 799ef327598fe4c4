#!/usr/bin/env bash
# Runs the tests that need a GPU. One that is skipped is a failure here, unlike in `make test`.
#
#   tools/test_gpu.sh PRESET [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:?usage: tools/test_gpu.sh PRESET [JOBS]}
log=build/$preset/gpu_tests.log
ctest --preset "$preset" --parallel "${2:-$(nproc)}" -L '^gpu$' | tee "$log"
if grep -q '(Skipped)$' "$log"; then
  printf '\ntest_gpu: tests that need a GPU were skipped (nvidia-smi shows whether the driver sees one):\n' >&2
  sed -n 's/^[[:space:]]*[0-9]* - \(.*\) (Skipped)$/  \1/p' "$log" >&2
  exit 1
fi
