#!/usr/bin/env bash
# A first look: a mesh of 1.6 million tetrahedra with a field, its critical points and its Morse-Smale complex, and a
# picture of them.
set -euo pipefail
cd "$(dirname "$0")/.."

tessera=build/release/bin/tessera
if [[ ! -x $tessera ]]; then
  echo "demo: $tessera was not built: the line that begins with \"-- Tessera\" above says what is missing" >&2
  exit 1
fi
out=build/demo
mkdir -p "$out"

step() {
  printf '\n$ %s\n' "$*"
  "$@"
}
step "$tessera" make kuhn-full --size 65 --field smooth -o "$out/cube.vtu"
step "$tessera" info "$out/cube.vtu"
step "$tessera" critical-points "$out/cube.vtu" -o "$out/points.vtp"
step "$tessera" morse-smale "$out/cube.vtu" --critical-points "$out/cells.vtp" --separatrices "$out/paths.vtp" \
  -o "$out/regions.vtu"
step "$tessera" render "$out/cube.vtu" "$out/paths.vtp" "$out/cells.vtp" --field smooth --range=-8,8 \
  --colormap coolwarm --clip y=50% --azimuth=-10 --no-connectors --size 880x660 -o "$out/complex.png"

printf '\nThe picture is %s; the .vtu and .vtp files beside it open in ParaView.\n' "$out/complex.png"
