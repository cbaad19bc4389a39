// RUN: k3-opt %s --pass-pipeline='builtin.module(exec.program(k3-exec-assign-arena))' -split-input-file -verify-diagnostics

exec.program @unbounded step on "host" bucket {T = [0, 8]} {
  // expected-error @below {{'exec.tensor' op 'x' has the extent R, which the bucket of the program does not bound}}
  %x = exec.tensor "x" dims [R, 4] : f32
}

// -----

exec.kernel @r "r"
exec.program @unwritten step on "host" bucket {T = [0, 8]} {
  %x = exec.tensor "x" dims [T, 4] : f32
  // expected-error @below {{'exec.launch' op reads 'x' before anything writes it}}
  %0 = exec.launch @r(%x) "r" units [T] : !exec.view<f32>
}
