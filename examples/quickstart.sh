#!/usr/bin/env bash
# Everything in one go: installs packages (as root), builds, compiles the small English model beside this script and
# lets it continue a prompt.   examples/quickstart.sh [PROMPT]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

prompt=${1:-$'\n\nkernel panic\n n.\n\n    '}
build=$PWD/build/release
package=$build/tiny-text.k3x
step() { printf '\n== %s\n' "$*" >&2; }

step "packages"
bash tools/setup.sh

step "build (a few minutes the first time; output in build/quickstart.log)"
mkdir -p build
if ! { cmake --preset release && cmake --build "$build" --parallel "${K3_JOBS:-$(nproc)}" --target k3-compile k3-run k3-dump; } \
  >build/quickstart.log 2>&1; then
  tail -n 30 build/quickstart.log >&2
  exit 1
fi

step "compile examples/tiny-text to ${package#"$PWD"/}"
time "$build/bin/k3-compile" examples/tiny-text -o "$package"

step "run: $prompt"
printf '%s' "$prompt"
"$build/bin/k3-run" "$package" --weights=examples/tiny-text --prompt="$prompt" --generate=240
echo

cat >&2 <<TXT

== what to try next
  build/release/bin/k3-run ${package#"$PWD"/} --weights=examples/tiny-text --prompt="To frob is " --generate=200
  build/release/bin/k3-run ${package#"$PWD"/} --weights=examples/tiny-text --prompt="hello" --stats
  build/release/bin/k3-compile examples/tiny-text --emit=k3 -o -       # the model as k3 IR, layer by layer
  build/release/bin/k3-dump ${package#"$PWD"/} | less                  # what is in the package
  examples/make_model.py /tmp/model --hidden 384 --layers 13           # a random model of another shape
  test/run.sh                                                        # all tests
TXT
