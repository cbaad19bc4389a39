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

step "run; the prompt, then what the model makes of it"
printf '%s' "$prompt"
"$build/bin/k3-run" "$package" --weights=examples/tiny-text --prompt="$prompt" --generate=240

cat >&2 <<'TXT'

== what to try next (b=build/release/bin, m=build/release/tiny-text.k3x)
  $b/k3-run $m --weights=examples/tiny-text --prompt="To frob is " --generate=200
  $b/k3-run $m --weights=examples/tiny-text --prompt="hello" --stats   # where the time goes
  $b/k3-compile examples/tiny-text --emit=k3 | less                    # the model, layer by layer
  $b/k3-dump $m | less                                                 # what is in the package
  examples/make_model.py /tmp/model --hidden 384 --layers 13           # a random model of another shape
  test/run.sh                                                          # all tests
TXT
