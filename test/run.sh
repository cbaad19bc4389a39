#!/usr/bin/env bash
# Sets up, builds one preset and runs every test. The last line is `N passed, N failed`; the exit code says the same.
#   K3_PRESET      which CMake preset (default release)
#   K3_JOBS        parallel build and test jobs (default: all cores)
#   K3_GOLDEN_DIR  golden data (default ../shared/oracle where that exists)
# Arguments go to lit, for example `test/run.sh --filter e2e`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${K3_PRESET:-release}
jobs=${K3_JOBS:-$(nproc)}
build=$PWD/build/$preset

# libMLIR is built without AddressSanitizer: arena memory that our code poisons it would not clear, containers that it
# grows it would not annotate.
if [ "$preset" = asan ]; then
  export ASAN_OPTIONS=${ASAN_OPTIONS:-allow_user_poisoning=0:detect_container_overflow=0:detect_leaks=0}
fi

bash tools/setup.sh
cmake --preset "$preset" >"${TMPDIR:-/tmp}/k3-configure-$$.log" 2>&1 || {
  cat "${TMPDIR:-/tmp}/k3-configure-$$.log" >&2
  rm -f "${TMPDIR:-/tmp}/k3-configure-$$.log"
  exit 1
}
rm -f "${TMPDIR:-/tmp}/k3-configure-$$.log"
cmake --build "$build" --parallel "$jobs"

if [ -z "${K3_GOLDEN_DIR:-}" ] && [ -d ../shared/oracle ]; then
  K3_GOLDEN_DIR=$(cd ../shared/oracle && pwd)
fi
if [ -n "${K3_GOLDEN_DIR:-}" ]; then
  export K3_GOLDEN_DIR
else
  unset K3_GOLDEN_DIR # tests tell "not there" from an empty name
fi
export OPENBLAS_NUM_THREADS=1

log=$build/test.log
status=0
/usr/bin/python3 /usr/lib/llvm-22/bin/lit -v -j "$jobs" --param build="$build" "$@" test >"$log" 2>&1 || status=$?
cat "$log"

# From lit's own summary: every outcome that is neither a pass nor left out is a failure.
awk '
  /^ *(Passed|Passed With Retry|Expectedly Failed) *: *[0-9]+/ { passed += count($0) }
  /^ *(Failed|Unresolved|Timed Out|Unexpectedly Passed) *: *[0-9]+/ { failed += count($0) }
  /^ *(Unsupported|Skipped|Excluded) *: *[0-9]+/ { left += count($0) }
  function count(line) { sub(/^[^:]*: */, "", line); return line + 0 }
  END {
    if (status != 0 && failed == 0) failed = 1  # lit itself failed
    if (passed + failed == 0) failed = 1        # nothing ran
    if (left) printf "not run here: %d\n", left
    printf "%d passed, %d failed\n", passed, failed
    exit failed > 0
  }' status="$status" "$log"
