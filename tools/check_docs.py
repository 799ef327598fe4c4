#!/usr/bin/env python3
"""Checks that documents are true where a machine can tell: C++ blocks stand in an example that is compiled, and links
between files lead somewhere, as do names of source files; pictures are shown and made by tools/pictures.sh. Prints what is wrong and exits with 1."""

import pathlib
import re
import sys


def problems(root: pathlib.Path) -> list[str]:
    found = []
    sources = [path.read_text() for path in sorted((root / "examples").glob("*.c*"))]
    documents = sorted(root.glob("*.md")) + sorted((root / "docs").glob("*.md"))
    for document in documents:
        text = document.read_text()
        name = document.relative_to(root)
        for block in re.findall(r"```cpp\n(.*?)```", text, re.S):
            if not any(block in source for source in sources):
                found.append(f"{name}: a C++ block is in no example: {block.strip().splitlines()[0]}")
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
            if "://" not in target and not (document.parent / target).exists():
                found.append(f"{name}: {target} is not there")
        for source in re.findall(r"`(\w+/[\w/]+\.(?:h|cuh|cpp|cu))`", text):
            places = [root / source, root / "src" / source, root / "src/tessera" / source]
            if "NAME" not in source and not any(place.exists() for place in places):
                found.append(f"{name}: {source} is not there")
    texts = "".join(document.read_text() for document in documents)
    makers = (root / "tools/pictures.sh").read_text()
    for image in sorted(path.name for path in (root / "docs/images").glob("*")):
        if f"images/{image})" not in texts:
            found.append(f"docs/images/{image}: no document shows it")
        if f"$images/{image}" not in makers:
            found.append(f"docs/images/{image}: tools/pictures.sh does not make it")
    return found


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    wrong = problems(root)
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
