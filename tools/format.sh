#!/usr/bin/env bash
# Formats the C++ and CUDA sources, or with --check names those that are not formatted.
#
# The format is what clang-format 14 makes of .clang-format; other versions break some lines elsewhere, so none
# of them is used. Debian 12 and Ubuntu 24.04 both have it.
set -euo pipefail
cd "$(dirname "$0")/.."

formatter=clang-format-14
if ! command -v "$formatter" >/dev/null; then
  formatter=clang-format
  if ! "$formatter" --version 2>/dev/null | grep -q 'version 14\.'; then
    echo "format: clang-format 14 is needed (the package clang-format-14)" >&2
    exit 1
  fi
fi
options=(-i)
[[ ${1:-} == --check ]] && options=(--dry-run -Werror)
git ls-files -z --cached --others --exclude-standard '*.h' '*.cuh' '*.inc' '*.cpp' '*.cu' |
  xargs -0 -r "$formatter" "${options[@]}"
