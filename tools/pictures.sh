#!/usr/bin/env bash
# Makes every picture of the documents anew, in docs/images: tools/pictures.sh [PROGRAM]. The commands are those that
# the documents show beside the pictures. Other versions of OpenGL give slightly other pixels.
set -euo pipefail
cd "$(dirname "$0")/.."

program=$(realpath "${1:-build/release/bin/tessera}")
images=$PWD/docs/images
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

tessera() {
  "$program" "$@" --quiet
}

tessera make kuhn --size 64 --field rough -o kuhn64.vtu
tessera render kuhn64.vtu --field rough --range=-10,10 --clip y=50% --azimuth=-10 --size 720x540 \
  -o "$images/kuhn64.png"

tessera make kuhn-full --size 65 --field smooth -o cube.vtu
tessera morse-smale cube.vtu --critical-points cells.vtp --separatrices paths.vtp
tessera render cube.vtu paths.vtp cells.vtp --field smooth --range=-8,8 --colormap coolwarm --clip y=50% \
  --azimuth=-10 --no-connectors --size 720x540 -o "$images/complex.png"

tessera make torus --size 64x48 --field smooth -o torus.vtp
tessera morse-smale torus.vtp --critical-points cells.vtp --separatrices paths.vtp --threshold 20%
tessera render torus.vtp paths.vtp cells.vtp --field smooth --colormap gray --size 600x400 -o "$images/torus.png"
tessera persistence torus.vtp --plot "$images/persistence.svg"

tessera make torus --size 120x60 --shuffle -o torus.vtp
tessera plan torus.vtp --tiles lloyd --tile-vertices 128 --relations VV -o tiles.vtp >/dev/null
tessera render tiles.vtp --field Tile --colormap categories --size 600x400 -o "$images/lloyd.png"

tessera make lattice --size 128 --field mri -o mri.vti
tessera coarsen mri.vti --value 0.15 -o coarse.vtp --histogram "$images/coarsen-quality.svg"

tessera make torus --size 160x96 -o torus.vtp
tessera geodesic torus.vtp --source 0 -o distances.vtp --paths paths.vtp --from 2893,5790,9610,12570
tessera isosurface distances.vtp --field GeodesicDistance -o isolines.vtp \
  --value 0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2,2.2,2.4,2.6,2.8,3,3.2,3.4
tessera render distances.vtp isolines.vtp paths.vtp --field GeodesicDistance --azimuth 60 --mark-size 2 \
  --size 720x480 -o "$images/geodesic.png"

ls -l "$images"
