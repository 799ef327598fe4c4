"""Plants each kind of violation in a small tree and expects tools/check_layers.py to find it, and only it."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKER = Path(__file__).resolve().parents[2] / "tools" / "check_layers.py"
HEADER = "#pragma once\n"


def run_checker(files):
    """The checker's exit code and lines for a tree of {path: text}."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            file = Path(root, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        result = subprocess.run([sys.executable, CHECKER, root], capture_output=True, text=True, check=False)
        return result.returncode, result.stdout.splitlines()


class CheckLayers(unittest.TestCase):
    def assert_clean(self, path, text):
        self.assertEqual(run_checker({path: text}), (0, []))

    def assert_found(self, path, text, line, words):
        code, lines = run_checker({path: text})
        self.assertEqual(code, 1)
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(lines[0].startswith(f"{path}:{line}: "), lines[0])
        self.assertIn(words, lines[0])

    def test_an_empty_tree_is_an_error(self):
        self.assertNotEqual(run_checker({})[0], 0)

    def test_includes_downward_are_fine(self):
        self.assert_clean("src/tessera/mesh/a.h", HEADER + "#include <tessera/exec/exec.h>\n")
        self.assert_clean("src/tessera/topology/detail/a.cpp", "#include <tessera/connect/detail/store.h>\n")
        self.assert_clean("src/tessera/io/detail/a.cpp", "#include <zlib.h>\n#include <tessera/mesh/mesh.h>\n")
        self.assert_clean("src/tessera/tessera.h", HEADER + "#include <tessera/surface/normals.h>\n")
        self.assert_clean("cli/main.cpp", "#include <CLI/CLI.hpp>\n#include <tessera/surface/normals.h>\n")

    def test_includes_upward_are_found(self):
        self.assert_found("src/tessera/core/detail/a.cpp", "\n#include <tessera/exec/exec.h>\n", 2, "core may not use exec")
        self.assert_found("src/tessera/tile/detail/a.h", HEADER + "#include <tessera/connect/detail/store.h>\n", 2, "may not use")

    def test_includes_of_siblings_are_found(self):
        self.assert_found("src/tessera/io/detail/a.cpp", "#include <tessera/tile/tile.h>\n", 1, "io may not use tile")
        self.assert_found("src/tessera/surface/detail/a.cpp", '#include "tessera/topology/a.h"\n', 1, "may not use topology")

    def test_detours_are_found(self):
        self.assert_found("src/tessera/core/detail/a.cpp", '#include "../exec/exec.h"\n', 1, "write the path from src/")
        self.assert_found("src/tessera/core/detail/a.cpp", "#include <tessera/tessera.h>\n", 1, "not a module")
        self.assert_found("src/tessera/core/detail/a.cpp", "#include <cli/text.h>\n", 1, "does not know its users")
        self.assert_found("src/tessera/novel/detail/a.cpp", "int a;\n", 1, "not a module")

    def test_public_headers_stand_alone(self):
        self.assert_clean("src/tessera/tile/a.h", HEADER + "#include <tessera/mesh/mesh.h>\n")
        self.assert_clean("src/tessera/tile/detail/a.h", HEADER + "#include <tessera/mesh/detail/octree.h>\n")
        self.assert_found("src/tessera/tile/a.h", HEADER + "#include <tessera/tile/detail/star.h>\n", 2, "not installed")
        self.assert_found("src/tessera/tile/a.cuh", HEADER + "#include <tessera/exec/detail/a.h>\n", 2, "not installed")
        self.assert_found("src/tessera/tile/a.cpp", "int a;\n", 1, "belongs into detail/")

    def test_third_party_headers_stay_in_their_module(self):
        self.assert_found("src/tessera/mesh/detail/a.cpp", "#include <vtkCellArray.h>\n", 1, "VTK is not for this module")
        self.assert_found("src/tessera/io/detail/a.cpp", "#include <fmt/format.h>\n", 1, "fmt is not for this module")

    def test_cuda_stays_out_of_plain_headers(self):
        for header in ["cuda_runtime.h", "cub/cub.cuh", "tessera/exec/detail/team.cuh"]:
            self.assert_found("src/tessera/exec/detail/a.h", HEADER + f"#include <{header}>\n", 2, "needs no CUDA")
            self.assert_clean("src/tessera/exec/detail/a.cuh", HEADER + f"#include <{header}>\n")

    def test_a_loud_library_is_found(self):
        for statement, words in [
            ("std::cout << 1;", "prints"),
            ("std::cerr << 1;", "prints"),
            ('printf("x");', "prints"),
            ('std::printf("x");', "prints"),
            ("exit(1);", "ends the program"),
            ("std::exit(1);", "ends the program"),
            ("std::abort();", "ends the program"),
            ('std::getenv("HOME");', "reads the environment"),
        ]:
            self.assert_found("src/tessera/core/detail/a.cpp", f"void f() {{\n  {statement}\n}}\n", 2, words)

    def test_what_only_looks_loud_is_fine(self):
        self.assert_clean("src/tessera/core/detail/a.cpp", 'std::snprintf(text, 3, "%d", 1);\n')
        self.assert_clean("src/tessera/core/detail/a.cpp", '// std::cout\n/* exit(1) */ auto s = "printf(";\n')
        self.assert_clean("src/tessera/core/detail/a.cpp", "worker.exit();\nint max_exit(int);\n")
        self.assert_clean("src/tessera/core/detail/error.cpp", 'std::fputs("x", stderr);\nstd::abort();\n')
        self.assert_clean("cli/main.cpp", "std::cout << 1;\n")

    def test_unguarded_headers_are_found(self):
        self.assert_found("src/tessera/core/a.h", "int a;\n", 1, "no #pragma once")
        self.assert_found("tests/support/a.h", "int a;\n", 1, "no #pragma once")

    def test_unfinished_work_is_found(self):
        self.assert_found("cli/a.cpp", "int a;\n// TO" "DO: more\n", 2, "unfinished")


if __name__ == "__main__":
    unittest.main()
