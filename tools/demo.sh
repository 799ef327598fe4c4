#!/usr/bin/env bash
# A first look: makes a mesh of 635 thousand tetrahedra with a field, examines it and draws it.
set -euo pipefail
cd "$(dirname "$0")/.."

tessera=build/release/bin/tessera
if [[ ! -x $tessera ]]; then
  echo "demo: $tessera was not built: VTK, CLI11, fmt and nlohmann-json must be there (make demo installs them)" >&2
  exit 1
fi
out=build/demo
mkdir -p "$out"

step() {
  printf '\n$ %s\n' "$*"
  "$@"
}
step "$tessera" make kuhn --size 64 --field rough -o "$out/kuhn64.vtu"
step "$tessera" info "$out/kuhn64.vtu"
step "$tessera" doctor "$out/kuhn64.vtu"
step "$tessera" render "$out/kuhn64.vtu" --field rough --clip y=0.5 -o "$out/kuhn64.png"

printf '\nThe mesh is in %s (open it in ParaView), its picture in %s.\n' "$out/kuhn64.vtu" "$out/kuhn64.png"
