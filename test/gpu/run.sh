#!/usr/bin/env bash
# Checks and times the kernels on a machine with a GPU; lies in a bundle that test/gpu/bundle.sh has packed.
#   BUNDLE/run.sh [FOLDER FOR RESULTS] [STEP ...]      default: ./gpu-results, all steps
# Steps: driver (CudaTest), self (k3-bench finds planted faults), check (every function against fp64), odd (every number of rows
# from 1 to 131), sanitize (compute-sanitizer), time (JSON and a table). Exit code 1: something failed; the last lines say what.
#   K3_ROWS      rows of `time`        K3_FUNCTIONS  regular expression: which functions (default all)
#   K3_CUBLAS    folder of libcublas (default: looked for)
#   K3_SECONDS   longest run of one program (default 60)
# Every function and range of rows is a process of its own: a kernel that hangs or faults takes no other with it. Checks run
# several at a time, timings alone.
set -uo pipefail
bundle=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
results=${1:-gpu-results}
shift || true
steps=${*:-driver self check odd sanitize time}
mkdir -p "$results"
export LD_LIBRARY_PATH=$bundle/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
bench=$bundle/bin/k3-bench
limit=(timeout -s KILL "${K3_SECONDS:-60}")

find_cublas() {
  local folder
  for folder in ${K3_CUBLAS:-} /usr/local/cuda*/lib64 /usr/local/cuda*/targets/x86_64-linux/lib \
    /opt/*/.venv/lib/python3*/site-packages/nvidia/{cu13,cublas}/lib /usr/lib/x86_64-linux-gnu; do
    if compgen -G "$folder/libcublas.so.1[23]" >/dev/null; then
      echo "$folder"
      return
    fi
  done
}
cublas=$(find_cublas)
peers=()
[ -z "$cublas" ] || peers=(--cublas="$cublas")
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer /opt/nvidia/*/compute-sanitizer 2>/dev/null | head -1)

# step NAME COMMAND...: runs it; its output and its exit code lie in the results.
step() {
  local name=$1 start=$SECONDS
  shift
  "$@" >"$results/$name.log" 2>&1
  local code=$?
  if [ $code -eq 0 ]; then
    echo "ok      $name ($((SECONDS - start)) s)" >"$results/$name.status"
  else
    echo "FAILED  $name (exit code $code, $((SECONDS - start)) s): $(grep -a -m1 -E 'FAILED|========= [A-Z]|error' "$results/$name.log" | tr -s ' ' | cut -c1-220)" \
      >"$results/$name.status"
  fi
}
# beside NAME COMMAND...: a step in the background, at most 8 at a time.
beside() {
  while [ "$(jobs -rp | wc -l)" -ge 8 ]; do wait -n; done
  step "$@" &
}
packages() { # whose names match
  local package
  for package in "$bundle"/packages/*.k3x; do
    [[ $(basename "$package" .k3x) =~ ^($1)$ ]] && echo "$package"
  done
}
functions() { # of a package
  "$bench" "$1" --list | cut -d' ' -f1 | sed 's/\.b[0-9]*$//' | sort -u | grep -E "${K3_FUNCTIONS:-.}"
}
# each NAME PACKAGES ROWS COMMAND...: the command for every function of the packages and each of the lists of rows.
each() {
  local name=$1 names=$2 groups=$3 package function rows
  shift 3
  for package in $(packages "$names"); do
    for function in $(functions "$package"); do
      for rows in $groups; do
        beside "$name-$function-${rows%%,*}" "$@" "$package" --filter="^$function/" --rows="$rows" --check-only
      done
    done
  done
  wait
}

# Of the three kernels of self.k3x one is right.
self() {
  "${limit[@]}" "$bench" "$bundle/self.k3x" --rows=100 --filter=right "${peers[@]}" || return 1
  local fault output
  for fault in 'short.*NaN or were not written' 'wrong.*output 2.*off by'; do
    output=$("$bench" "$bundle/self.k3x" --rows=100 --check-only --no-peers --filter="${fault%%.*}") && return 1
    echo "$output"
    grep -q "$fault" <<<"$output" || {
      echo "error: k3-bench did not find the planted fault '${fault%%.*}'"
      return 1
    }
  done
}

for wanted in $steps; do
  start=$SECONDS
  case $wanted in
  driver) step driver "${limit[@]}" "$bundle/bin/CudaTest" ;;
  self) step self self ;;
  check) each check '.*' '1,2,4,8 16,17,31 48,64 100,128 131,300,512 1000,2048 8191,8192' "${limit[@]}" "$bench" "${peers[@]}" ;;
  odd) each odd 'gemm_odd|attn_res|rms_norm' '1-131 255-257,1023-1025,4097' "${limit[@]}" "$bench" "${peers[@]}" ;;
  sanitize)
    if [ -z "$sanitizer" ]; then
      step sanitize sh -c 'echo "error: compute-sanitizer was not found"; exit 1'
      continue
    fi
    for tool in memcheck initcheck synccheck racecheck; do
      # racecheck knows neither TMA nor wgmma.
      names='gemm_odd|attn_res|rms_norm'
      [ $tool = racecheck ] && names=rms_norm
      each "$tool" "$names" '1,8 17,48 131,300 2100' "${limit[@]}" "$sanitizer" --tool $tool --error-exitcode 9 --print-limit 5 "$bench" --no-peers
    done
    ;;
  time)
    for package in "$bundle"/packages/*.k3x; do
      for function in $(functions "$package"); do
        step "time-$function" "${limit[@]}" "$bench" "$package" --no-check --filter="^$function/" ${K3_ROWS:+--rows=$K3_ROWS} \
          --json="$results/$function.json" "${peers[@]}"
      done
    done
    ;;
  *)
    echo "run.sh: unknown step '$wanted'; expected driver, self, check, odd, sanitize or time" >&2
    exit 2
    ;;
  esac
  echo "run.sh: $wanted took $((SECONDS - start)) s"
done

# One table, with the head of the first timing.
for log in "$results"/time-*.log; do
  [ -e "$log" ] && if [ -z "${head:-}" ]; then cat "$log"; head=1; else sed '1,/^function/d' "$log"; fi
done
echo
[ -n "${head:-}" ] && command -v python3 >/dev/null && python3 "$bundle/table.py" "$results"
cat "$results"/*.status >"$results/summary.txt" 2>/dev/null || { echo "run.sh: nothing was run" >&2; exit 1; }
failed=$(grep -c ^FAILED "$results/summary.txt")
grep ^FAILED "$results/summary.txt"
echo "run.sh: $(grep -c ^ok "$results/summary.txt") steps passed, $failed failed"
[ "$failed" -eq 0 ]
