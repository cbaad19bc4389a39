#!/usr/bin/env bash
# Installs every package that building, testing and running need, on Debian 12 as root. Does nothing when all are there.
set -euo pipefail

packages=(
  git ca-certificates gzip python3 python3-psutil                    # the checkout, the test scripts (psutil: lit time limits)
  g++ cmake ninja-build ccache binutils                             # the build
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools            # the compiler; lit, FileCheck
  liblld-22-dev lld-22                                              # links the host object
  libflatbuffers-dev flatbuffers-compiler flatbuffers-compiler-dev  # the package format
  nlohmann-json3-dev libcli11-dev libopenblas-pthread-dev           # config.json, command lines, matrix products
  libgtest-dev libgmock-dev libbenchmark-dev                        # tests and benchmarks
  zlib1g-dev libzstd-dev                                            # what LLVM's exported targets name
)

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done

if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: all ${#packages[@]} packages are installed" >&2
  exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "setup: not root and ${#missing[@]} packages are missing; run as root: apt-get install ${missing[*]}" >&2
  exit 1
fi

echo "setup: installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
for package in "${missing[@]}"; do
  if ! apt-cache show "$package" >/dev/null 2>&1; then
    echo "setup: apt knows no package $package; Debian 12 has all of them in its main and security archives," \
      "check that /etc/apt lists bookworm and bookworm-security" >&2
    exit 1
  fi
done
apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
echo "setup: done" >&2
