#!/usr/bin/env python3
"""Checks what a compiler does not: that includes point one way and that the library is silent.

    tools/check_layers.py [ROOT]

Prints one line for each violation, `file:line: what`, and ends with 1 if there is any.
"""

import re
import sys
from pathlib import Path

# From the bottom up. A module may include itself and what stands on an earlier line; siblings on one
# line may not include each other.
LAYERS = [
    ["core"],
    ["exec"],
    ["mesh"],
    ["io", "tile"],
    ["connect", "generate"],
    ["topology", "surface"],
    ["distribute"],
]
RANK = {module: rank for rank, layer in enumerate(LAYERS) for module in layer}
ORDER = " <- ".join(m[0] if len(m) == 1 else "{" + ", ".join(m) + "}" for m in LAYERS)

# Which places may include which third-party headers.
THIRD_PARTY = {
    r"vtk\w+\.h$": ("VTK", set()),
    r"(zlib|lzma|lz4)\.h$": ("a codec", {"io"}),
    r"CLI/": ("CLI11", set()),
    r"fmt/": ("fmt", set()),
    r"nlohmann/": ("nlohmann-json", set()),
}
CUDA_HEADER = re.compile(r"\.cuh$|^cuda|^cub/|^thrust/|^cooperative_groups|^curand|^nvtx|^nv/|^device_launch")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
LOUD = [
    (re.compile(r"\bstd::(cout|cerr|clog)\b"), "prints"),
    (re.compile(r"\b(stdout|stderr)\b"), "prints"),
    (re.compile(r"(?<![\w])(?:std::)?(?:f|v|vf)?printf\s*\("), "prints"),
    (re.compile(r"(?<![\w.>])(?:std::)?(?:puts|putchar|perror)\s*\("), "prints"),
    (re.compile(r"(?<![\w.>])(?:std::|::)?(?:exit|_exit|_Exit|quick_exit|abort)\s*\("), "ends the program"),
    (re.compile(r"\b(?:secure_)?getenv\s*\("), "reads the environment"),
]
# The one place that may print and abort: contract_violation().
LOUD_EXCEPTION = "src/tessera/core/detail/error.cpp"
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")

SOURCE_SUFFIXES = {".h", ".cuh", ".inc", ".cpp", ".cu", ".in"}
CODE_FOLDERS = ["src", "cli", "python", "tests", "benchmarks", "examples"]


def blank_comments_and_strings(text):
    """The text with comments and literals as spaces, so that line numbers stay."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.S
    )

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    return pattern.sub(blank, text)


def module_of(path):
    """The module of src/tessera/MODULE/..., or None for a file outside the modules."""
    parts = path.parts
    return parts[2] if parts[:2] == ("src", "tessera") and len(parts) > 3 else None


def is_public(path):
    """Is it a header that is installed? Those of a module's own folder are; detail/ has the rest."""
    return path.suffix in {".h", ".cuh"} and "detail" not in path.parts


def include_violations(path, module, target, quoted):
    """What is wrong with one #include of a file in src/."""
    if is_public(path) and re.match(r"tessera/\w+/detail/", target):
        yield f"includes {target}: a public header does not include what is not installed"
    if quoted and ".." in target.split("/"):
        yield f'includes "{target}": write the path from src/, <tessera/module/file.h>'
    if re.match(r"(cli|python|tests|benchmarks|examples)/", target):
        yield f"includes {target}: the library does not know its users"
    if path.suffix == ".h" and CUDA_HEADER.search(target):
        yield f"includes {target}: a .h needs no CUDA; a .cuh may"
    for pattern, (name, allowed) in THIRD_PARTY.items():
        if re.match(pattern, target) and module not in allowed:
            yield f"includes {target}: {name} is not for this module"
    if not target.startswith("tessera/") or module is None:
        return
    other = target.split("/")[1]
    if other not in RANK:
        yield f"includes {target}: '{other}' is not a module of {ORDER}"
    elif other != module and RANK[other] >= RANK[module]:
        yield f"includes {target}: {module} may not use {other} in {ORDER}"


def violations_in(path, text):
    """All violations in one file; path is relative to the root."""
    lines = text.splitlines()
    if module_of(path) is not None and "detail" not in path.parts and not is_public(path):
        yield 1, "is no public header: it belongs into detail/"
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line):
            yield number, "has a mark of unfinished work"
    if path.suffix in {".h", ".cuh"} and not re.search(r"^#pragma once$", text, re.M):
        yield 1, "has no #pragma once"
    if path.parts[0] != "src":
        return
    module = module_of(path)
    if module is not None and module not in RANK:
        yield 1, f"is in '{module}', which is not a module of {ORDER}"
        return
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match:
            for what in include_violations(path, module, match.group(2), match.group(1) == '"'):
                yield number, what
    if path.as_posix() == LOUD_EXCEPTION:
        return
    for number, line in enumerate(blank_comments_and_strings(text).splitlines(), 1):
        for pattern, what in LOUD:
            if not INCLUDE.match(line) and pattern.search(line):
                yield number, f"{what}: {pattern.search(line).group().strip()}; the library is silent"


def check(root):
    """All violations under root as lines of text, and the number of files read."""
    found, files = [], 0
    for folder in CODE_FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if not file.is_file() or file.suffix not in SOURCE_SUFFIXES | {".py"}:
                continue
            files += 1
            path = file.relative_to(root)
            for number, what in violations_in(path, file.read_text(encoding="utf-8")):
                found.append(f"{path}:{number}: {what}")
    return found, files


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    found, files = check(root)
    for line in found:
        print(line)
    if files == 0:
        sys.exit(f"check_layers: no source file under {root}")
    print(f"check_layers: {files} files, {len(found)} violations", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
