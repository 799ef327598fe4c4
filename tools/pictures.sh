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

tessera make lattice --size 64 --field smooth -o waves.vti
tessera merge-tree waves.vti --kind contour --threshold 5% --plot "$images/contour-tree.svg"

tessera make torus --size 120x60 --shuffle -o torus.vtp
tessera plan torus.vtp --tiles lloyd --tile-vertices 128 --relations VV -o tiles.vtp >/dev/null
tessera render tiles.vtp --field Tile --colormap categories --size 600x400 -o "$images/lloyd.png"

tessera make lattice --size 128 --field mri -o mri.vti
tessera coarsen mri.vti --value 0.15 -o coarse.vtp --histogram "$images/coarsen-quality.svg"

tessera make ico --size 6 -o noisy.vtp
tessera denoise noisy.vtp --iterations 5 -o smooth.vtp
draw_curvature() {
  tessera curvature "$1" -o curvature.vtp
  tessera render curvature.vtp --field MeanCurvature --range=-2,4 --colormap coolwarm --no-bar --azimuth 30 \
    --size 400x400 -o "$2"
}
draw_curvature noisy.vtp "$images/curvature-noisy.png"
draw_curvature smooth.vtp "$images/curvature-smooth.png"

tessera geodesic smooth.vtp --source 0 -o distances.vtp --paths paths.vtp --from 5000,9000,20000,33000,40000
tessera isosurface distances.vtp --field GeodesicDistance -o isolines.vtp \
  --value 0.15,0.3,0.45,0.6,0.75,0.9,1.05,1.2,1.35,1.5,1.65,1.8,1.95,2.1,2.25,2.4,2.55,2.7,2.85,3
tessera render distances.vtp isolines.vtp paths.vtp --field GeodesicDistance --azimuth 160 --elevation 20 \
  --size 640x480 -o "$images/geodesic.png"

tessera make ico --size 6 -o ball.vtp
tessera track ball.vtp --field deformation --origin=-2.333,-2.333,-2.333 --scale 6.667 --period 3 --frames 30 \
  --step 0.05 -o frames.pvd
tessera render frames_0000.vtp --azimuth 30 --size 320x320 -o "$images/track-0.png"
tessera render frames_0010.vtp --azimuth 30 --size 320x320 -o "$images/track-10.png"
tessera render frames_0020.vtp --azimuth 30 --size 320x320 -o "$images/track-20.png"
tessera render frames_0030.vtp --azimuth 30 --size 320x320 -o "$images/track-30.png"

ls -l "$images"
