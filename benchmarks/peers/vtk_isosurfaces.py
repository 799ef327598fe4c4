#!/usr/bin/env python3
"""VTK's isosurfaces of the inputs of `generate`, in turn with ours: one table row for each input.

    python3 benchmarks/peers/vtk_isosurfaces.py BUILD_DIR THREADS [ROUNDS]

BUILD_DIR has bin/tessera and benchmarks/generate. VTK is the one that Python imports (pip install vtk, or Debian's
python3-vtk9). Both sides start from arrays in memory. VTK's flying edges make points and triangles, with and without
normals from the gradient; tetrahedra go through vtkContour3DLinearGrid, which merges points, and vtkContourGrid.
Times are the fastest of all rounds in ms.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import vtk


is_old = (vtk.vtkVersion.GetVTKMajorVersion(), vtk.vtkVersion.GetVTKMinorVersion()) < (9, 7)


def fastest(run, seconds=3.0, least=3):
    best = float("inf")
    begin = time.perf_counter()
    count = 0
    while count < least or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
        count += 1
        if count >= 9:
            break
    return 1e3 * best


def read(name, folder, program, arguments):
    file = pathlib.Path(folder, name)
    if not file.exists():
        subprocess.run([program, *arguments, "-o", str(file), "--quiet"], check=True)
    reader = vtk.vtkXMLImageDataReader() if file.suffix == ".vti" else vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(file))
    reader.Update()
    return reader.GetOutput()


def contour(kind, data, field, value, normals):
    filter_ = kind()
    data.GetPointData().SetActiveScalars(field)
    filter_.SetInputData(data)
    if hasattr(filter_, "SetComputeScalars"):
        filter_.SetComputeScalars(False)
    if hasattr(filter_, "SetComputeGradients"):
        filter_.SetComputeGradients(False)
    if hasattr(filter_, "SetComputeNormals"):
        filter_.SetComputeNormals(normals)
    if is_old and hasattr(filter_, "MergePointsOn"):
        filter_.MergePointsOn()  # later versions always do
    if hasattr(filter_, "SetInterpolateAttributes"):
        filter_.SetInterpolateAttributes(False)
    filter_.SetValue(0, value)

    def run():
        filter_.Modified()
        filter_.Update()

    time_ = fastest(run)
    output = filter_.GetOutput()
    return time_, output.GetNumberOfPoints(), output.GetNumberOfCells()


def ours(build, threads, question):
    lines = subprocess.run(
        [str(build / "benchmarks/generate"), str(threads), question], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    return {row["variant"]: 1e3 * row["fastest"] for row in rows}, rows[0]["input"]


def main():
    build = pathlib.Path(sys.argv[1])
    threads = int(sys.argv[2])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    if threads > 1 and vtk.vtkSMPTools.GetBackend() == "Sequential":
        vtk.vtkSMPTools.SetBackend("STDThread")
    vtk.vtkSMPTools.Initialize(threads)
    print(f"VTK {vtk.vtkVersion.GetVTKVersion()}, {vtk.vtkSMPTools.GetBackend()}, {threads} threads")
    program = str(build / "bin/tessera")
    flying, linear = vtk.vtkFlyingEdges3D, vtk.vtkContour3DLinearGrid
    questions = [
        ("sphere256", "sphere", 256, 0.4, flying),
        ("mri128", "mri", 128, 0.15, flying),
        ("mri256", "mri", 256, 0.15, flying),
        ("tets", "mri", 128, 0.15, linear),
        ("tets", "mri", 128, 0.15, vtk.vtkContourGrid),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for question, field, n, value, kind in questions:
            data = read(f"{field}{n}.vti", folder, program, ["make", "lattice", "--size", str(n), "--field", field])
            if question == "tets":
                data = read("tets.vtu", folder, program, ["tetrahedralize", f"{folder}/{field}{n}.vti"])
            modes = [("bare", False), ("gradient_normals", True)] if kind is flying else [("bare", False)]
            for mode, normals in modes:
                best = {"vtk": float("inf"), "tessera": float("inf")}
                for _ in range(rounds):
                    time_, points, cells = contour(kind, data, field, value, normals)
                    best["vtk"] = min(best["vtk"], time_)
                    times, name = ours(build, threads, question)
                    best["tessera"] = min(best["tessera"], times[mode])
                print(
                    f"{name} {mode}, {kind.__name__}: {points} points, {cells} cells; VTK {best['vtk']:.1f}, "
                    f"Tessera {best['tessera']:.1f}, ratio {best['vtk'] / best['tessera']:.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
