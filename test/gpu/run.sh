#!/usr/bin/env bash
# Checks and times the kernels on a machine with a GPU; lies in a bundle that test/gpu/bundle.sh has packed.
#   BUNDLE/run.sh [FOLDER FOR RESULTS] [STEP ...]      default: ./gpu-results, all steps
# Steps: driver (CudaTest), self (k3-bench finds planted faults), check (every package against fp64), odd (every number of rows from 1 to 131), sanitize
# (compute-sanitizer), time (JSON and a table). Exit code 1: some step failed; the last lines say which.
#   K3_ROWS      rows of `time`        K3_FILTER    --filter of `time`
#   K3_CUBLAS    folder of libcublas (default: looked for)
set -uo pipefail
bundle=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
results=${1:-gpu-results}
shift || true
steps=${*:-driver self check odd sanitize time}
mkdir -p "$results"
export LD_LIBRARY_PATH=$bundle/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
bench=$bundle/bin/k3-bench
packages=("$bundle"/packages/*.k3x)

find_cublas() {
  local folder
  for folder in ${K3_CUBLAS:-} /usr/local/cuda*/lib64 /usr/local/cuda*/targets/x86_64-linux/lib \
    /opt/*/.venv/lib/python3*/site-packages/nvidia/{cu13,cublas}/lib /usr/lib/x86_64-linux-gnu \
    "$(python3 -c 'import nvidia, glob; print((glob.glob(list(nvidia.__path__)[0] + "/*/lib/libcublas.so.1[23]") or ["/"])[0].rsplit("/", 1)[0])' 2>/dev/null)"; do
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

summary=()
failed=0
# step NAME COMMAND...: runs it, keeps its output, remembers how it went.
step() {
  local name=$1 log=$results/$1.log start=$SECONDS
  shift
  echo "== $name"
  "$@" >"$log" 2>&1
  local code=$?
  if [ $code -eq 0 ]; then
    summary+=("ok      $name ($((SECONDS - start)) s)")
  else
    summary+=("FAILED  $name (exit code $code, $((SECONDS - start)) s): $(grep -m1 -E 'error|FAILED|========= [A-Z]' "$log")")
    failed=1
    tail -15 "$log"
  fi
}
only() { # packages whose names match
  local package
  for package in "${packages[@]}"; do
    [[ $(basename "$package" .k3x) =~ ^($1)$ ]] && echo "$package"
  done
}

# Of the three kernels of self.k3x one is right.
self() {
  "$bench" "$bundle/self.k3x" --rows=100 --filter=right "${peers[@]}" || return 1
  local fault
  for fault in 'short.*NaN or were not written' 'wrong.*output 2.*off by'; do
    "$bench" "$bundle/self.k3x" --rows=100 --check-only --no-peers --filter="${fault%%.*}" | tee /dev/stderr | grep -q "$fault" || {
      echo "error: k3-bench did not find the planted fault '${fault%%.*}'"
      return 1
    }
  done
}

for wanted in $steps; do
  case $wanted in
  self) step self self ;;
  driver) step driver "$bundle/bin/CudaTest" ;;
  check)
    for package in "${packages[@]}"; do
      step "check-$(basename "$package" .k3x)" "$bench" "$package" --check-only --rows=1,2,4,8,16,17,100,128,131,512,2048,8191,8192 "${peers[@]}"
    done
    ;;
  odd)
    for package in $(only 'gemm_odd|attn_res|rms_norm'); do
      step "odd-$(basename "$package" .k3x)" "$bench" "$package" --check-only --rows=1-131,255-257,1023-1025,8191 "${peers[@]}"
    done
    ;;
  sanitize)
    if [ -z "$sanitizer" ]; then
      step sanitize sh -c 'echo "error: compute-sanitizer was not found"; exit 1'
      continue
    fi
    for tool in memcheck initcheck synccheck racecheck; do
      # racecheck knows neither TMA nor wgmma.
      names='gemm_odd|attn_res|rms_norm'
      [ $tool = racecheck ] && names='attn_res|rms_norm'
      for package in $(only "$names"); do
        step "$tool-$(basename "$package" .k3x)" timeout 90 "$sanitizer" --tool $tool --error-exitcode 9 --print-limit 5 \
          "$bench" "$package" --check-only --no-peers --rows=1,17,131,300
      done
    done
    ;;
  time)
    for package in "${packages[@]}"; do
      name=$(basename "$package" .k3x)
      step "time-$name" "$bench" "$package" --no-check ${K3_ROWS:+--rows=$K3_ROWS} ${K3_FILTER:+--filter=$K3_FILTER} \
        --json="$results/$name.json" "${peers[@]}"
      cat "$results/time-$name.log"
    done
    ;;
  *)
    echo "run.sh: unknown step '$wanted'; expected driver, self, check, odd, sanitize or time" >&2
    exit 2
    ;;
  esac
done

printf '%s\n' "" "${summary[@]}" | tee "$results/summary.txt"
[ ${#summary[@]} -gt 0 ] && exit $failed
echo "run.sh: nothing was run" >&2
exit 1
