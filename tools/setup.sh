#!/usr/bin/env bash
# Installs the Debian and Ubuntu packages that are missing, and does nothing when all are there.
#
#   tools/setup.sh GROUP ...      build, pictures, test, lint, format
#
# A package that brings a command is there when the command is; a library is there when dpkg says so.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*" >&2; }
give_up() {
  say "$*; install these by hand, then run make with SETUP=0: ${missing[*]}"
  exit 1
}

# package[:command]
wanted=()
for group in "$@"; do
  case $group in
    build) wanted+=(g++:g++ cmake:cmake make:make ninja-build:ninja zlib1g-dev liblzma-dev liblz4-dev libcli11-dev libfmt-dev
      nlohmann-json3-dev) ;;
    pictures) wanted+=(libvtk9-dev xvfb:Xvfb) ;; # Debian's VTK draws through X
    test) wanted+=(libgtest-dev python3:python3) ;;
    lint) wanted+=(libgtest-dev python3:python3 clang-format-14:clang-format-14 clang-tidy:clang-tidy libomp-dev) ;;
    format) wanted+=(clang-format-14:clang-format-14) ;;
    *) say "no such group: $group" && exit 2 ;;
  esac
done

is_installed() {
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

missing=()
for entry in "${wanted[@]}"; do
  package=${entry%%:*}
  [[ $entry == *:* ]] && command -v "${entry#*:}" >/dev/null && continue
  is_installed "$package" || [[ " ${missing[*]} " == *" $package "* ]] || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

command -v apt-get >/dev/null || give_up "there is no apt-get on this system"
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || give_up "packages are missing, and this is neither root nor a system with sudo"
  sudo -n true 2>/dev/null || [[ -t 0 ]] || give_up "packages are missing, and sudo asks for a password"
  as_root=(sudo)
fi

mkdir -p build
log=build/setup.log
apt_get() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" >>"$log" 2>&1
}
knows_all() {
  local package
  for package in "${missing[@]}"; do
    apt-cache show "$package" >/dev/null 2>&1 || return 1
  done
}
install_missing() { apt_get install --no-install-recommends "${missing[@]}"; }

say "installing: ${missing[*]} (log: $log)"
: >"$log"
knows_all || apt_get update || true
if ! install_missing; then
  apt_get update || true  # the package lists may be older than the archive
  if ! install_missing; then
    tail -n 15 "$log" >&2
    give_up "apt-get failed (above)"
  fi
fi
