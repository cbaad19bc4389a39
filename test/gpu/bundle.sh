#!/usr/bin/env bash
# Packs what a machine with a GPU needs to check and time the kernels, and no build tools: stripped programs, packages, run.sh.
#   test/gpu/bundle.sh BUILD [GRAPH.mlir ...]      default: every graph of examples/kernels
# Writes BUILD/gpu-bundle (under 40 MiB). There: `BUNDLE/run.sh [FOLDER FOR RESULTS]`.
#   K3_TARGET    target of the packages (default h200)
#   K3_COMPILE   the compiler (default BUILD/bin/k3-compile)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
[ $# -ge 1 ] || { echo "bundle.sh: usage: test/gpu/bundle.sh BUILD [GRAPH.mlir ...]" >&2; exit 2; }
build=$1
shift
[ $# -gt 0 ] || set -- "$root"/examples/kernels/*.mlir
bundle=$build/gpu-bundle
compile=${K3_COMPILE:-$build/bin/k3-compile}

for program in "$compile" "$build"/bin/{k3-bench,k3-bench-toy,CudaTest}; do
  [ -x "$program" ] || { echo "bundle.sh: $program is missing; build it first: ninja -C $build $(basename "$program")" >&2; exit 1; }
done
rm -rf "$bundle"
mkdir -p "$bundle"/{bin,lib,packages}
for program in k3-bench CudaTest; do
  strip -o "$bundle/bin/$program" "$build/bin/$program"
done
# The one library that is not on every Linux system.
cp -L "$(ldd "$build/bin/k3-bench" | awk '/libbenchmark/ { print $3 }')" "$bundle/lib/"
"$build/bin/k3-bench-toy" "$bundle/self.k3x"
for graph in "$@"; do
  "$compile" "$graph" --target="${K3_TARGET:-h200}" --max-tokens=8192 -o "$bundle/packages/$(basename "$graph" .mlir).k3x"
done
install -m 755 "$root"/test/gpu/{run.sh,table.py} "$bundle/"

bytes=$(du -sb "$bundle" | cut -f1)
if [ "$bytes" -gt $((40 << 20)) ]; then
  echo "bundle.sh: $bundle has $bytes bytes, more than 40 MiB; name fewer graphs" >&2
  exit 1
fi
echo "bundle.sh: $bundle, $((bytes >> 10)) KiB, packages: $(ls "$bundle/packages" | tr '\n' ' ')"
