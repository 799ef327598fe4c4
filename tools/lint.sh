#!/usr/bin/env bash
# The checks that are not tests: format, layers, documents, and clang-tidy's names and likely bugs (.clang-tidy).
#
#   tools/lint.sh BUILD_DIR [JOBS]
#
# BUILD_DIR is configured without CUDA: clang-tidy reads its compile_commands.json. All checks run before
# the script says whether one failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

build=${1:?usage: tools/lint.sh BUILD_DIR [JOBS]}
jobs=${2:-$(nproc)}
failed=()

echo 'lint: format'
tools/format.sh --check || failed+=('format (make format mends it)')

echo 'lint: layers'
tools/check_layers.py || failed+=(layers)

echo 'lint: documents'
tools/check_docs.py || failed+=(documents)

# Files that CMake makes are not ours to mend; the rest of the compilation database is.
mapfile -t files < <(python3 - "$build/compile_commands.json" "$build" <<'PYTHON'
import json, os, sys
database, build = sys.argv[1], os.path.abspath(sys.argv[2])
files = {os.path.join(entry["directory"], entry["file"]) for entry in json.load(open(database))}
print("\n".join(sorted(os.path.relpath(f) for f in files if not f.startswith(build + os.sep))))
PYTHON
)
if [[ ${#files[@]} -eq 0 || -z ${files[0]} ]]; then
  echo "lint: $build/compile_commands.json names no file" >&2
  exit 1
fi
echo "lint: names and likely bugs in ${#files[@]} files"
start=$SECONDS
# clang does not know every warning option of g++; the count of warnings in system headers is noise.
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$jobs" clang-tidy --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option 2> >(
    grep -vE '^[0-9]+ warnings? generated|^$' >&2
  ) || failed+=(clang-tidy)
echo "lint: clang-tidy took $((SECONDS - start)) s"

if [[ ${#failed[@]} -gt 0 ]]; then
  printf 'lint: failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
echo 'lint: all is well'
