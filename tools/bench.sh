#!/usr/bin/env bash
# Runs the benchmarks of a build one after the other and keeps their JSON lines.
#
#   tools/bench.sh BUILD_DIR [PATTERN] [OPTION ...]     e.g. tools/bench.sh build/release 'primitives*' --smoke
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:?usage: tools/bench.sh BUILD_DIR [PATTERN] [OPTION ...]}
pattern=${2:-*}
shift $(($# < 2 ? $# : 2))
results=$build/benchmarks.jsonl

mapfile -t programs < <(find "$build/benchmarks" -maxdepth 1 -type f -executable -name "$pattern" 2>/dev/null | sort)
if [[ ${#programs[@]} -eq 0 ]]; then
  echo "bench: no benchmark in $build/benchmarks matches '$pattern'" >&2
  exit 1
fi
: >"$results"
for program in "${programs[@]}"; do
  echo "bench: ${program##*/}" >&2
  "$program" "$@" | tee -a "$results"
done
echo "bench: $(wc -l <"$results") measurements in $results" >&2
