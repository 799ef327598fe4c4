#!/usr/bin/env python3
"""GUDHI's distances between the diagrams of `diagrams`, beside ours.

    python3 benchmarks/peers/gudhi_distances.py BUILD_DIR SIZE [exact]

GUDHI is the one that Python imports (pip install gudhi). Its bottleneck distance is asked to be exact, its Wasserstein
distance is Hera's with the power and the norm 2 and a relative error of 1 %, and both go through one dimension after
the other, as ours do. `exact` compares with an exact solver (pip install pot), which takes memory and time that grow
with the square and the cube of the points. Classes that never die are left out on both sides of the comparison of
values. Times are of one run in ms; ours are the medians that the program prints.
"""

import json
import subprocess
import sys
import tempfile
import time

import gudhi
import gudhi.hera
import numpy as np


def main():
    build, size = sys.argv[1], sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([f"{build}/benchmarks/diagrams", size, f"{folder}/d"], check=True, text=True,
                             capture_output=True)
        rows = [np.loadtxt(f"{folder}/d{i}.txt", ndmin=2) for i in (1, 2)]
    ours = {line["variant"]: 1e3 * line["seconds"] for line in map(json.loads, run.stdout.splitlines())}
    print(run.stderr.strip())
    a, b = ([part[part[:, 0] == d][:, 1:] for d in range(3)] for part in rows)
    print("points:", [len(part) for part in a], [len(part) for part in b])
    start = time.perf_counter()
    largest = max(gudhi.bottleneck_distance(p, q, 0) for p, q in zip(a, b))
    middle = time.perf_counter()
    total = sum(gudhi.hera.wasserstein_distance(p, q, order=2, internal_p=2, delta=0.01) ** 2
                for p, q in zip(a, b)) ** 0.5
    end = time.perf_counter()
    for name, value, theirs in (("bottleneck", largest, middle - start), ("wasserstein_2", total, end - middle)):
        print(f"{name}: GUDHI {value:.10g} in {1e3 * theirs:.1f} ms, ours in {ours[name]:.2f} ms, "
              f"{1e3 * theirs / ours[name]:.0f}x")
    if "exact" in sys.argv[3:]:
        from gudhi.wasserstein import wasserstein_distance
        start = time.perf_counter()
        total = sum(wasserstein_distance(p, q, order=2, internal_p=2) ** 2
                    for p, q in zip(a, b)) ** 0.5
        print(f"exact wasserstein_2: {total:.10g} in {1e3 * (time.perf_counter() - start):.0f} ms")


main()
