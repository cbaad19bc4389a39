// RUN: k3-opt %s --pass-pipeline='builtin.module(exec.program(k3-exec-verify-arena))' -split-input-file -verify-diagnostics

exec.kernel @w "w"
exec.kernel @r "r"

// b is written while a is still to be read.
exec.program @clobbered step on "host" bucket {T = [0, 8]} {
  %arena = exec.buffer arena "arena" bytes [192]
  %a = exec.view %arena at [0] dims [T, 4] : !exec.buffer -> f32 loc("a")
  // expected-error @unknown {{'exec.view' op 'b' at bytes 64..192 of the arena meets 'a' at 0..128: both are in use at the same time}}
  %b = exec.view %arena at [16] dims [T, 4] : !exec.buffer -> f32 loc("b")
  %0 = exec.launch @w(%a) "w" units [T] : !exec.view<f32>
  %1 = exec.launch @w(%b) "w" units [T] : !exec.view<f32>
  %2 = exec.launch @r(%a) "r" units [T] : !exec.view<f32>
}

// -----

exec.kernel @w "w"
exec.program @overrun step on "host" bucket {T = [0, 8]} {
  %arena = exec.buffer arena "arena" bytes [64]
  // expected-error @below {{'exec.view' op leaves the arena}}
  %a = exec.view %arena at [0] dims [T, 4] : !exec.buffer -> f32
}

// -----

exec.kernel @w "w"
// The tap comes after the entry that reuses the bytes.
exec.program @tap step on "host" bucket {T = [0, 8]} {
  %arena = exec.buffer arena "arena" bytes [128]
  %a = exec.view %arena at [0] dims [T, 4] : !exec.buffer -> f32 loc("a")
  // expected-error @unknown {{'b' at bytes 0..128 of the arena meets 'a' at 0..128}}
  %b = exec.view %arena at [0] dims [T, 4] : !exec.buffer -> f32 loc("b")
  %0 = exec.launch @w(%a) "w" units [T] : !exec.view<f32>
  %1 = exec.launch @w(%b) "w" units [T] : !exec.view<f32>
  exec.tap "a" %a : !exec.view<f32>
}

// -----

exec.kernel @w "w"
exec.kernel @r "r"
// Two streams, no wait.
exec.program @race step on "host" bucket {T = [0, 8]} streams 2 {
  %x = exec.io "x" dims [T, 4] : f32
  %0 = exec.launch @w(%x) "w" units [T] : !exec.view<f32>
  // expected-error @below {{'exec.launch' op touches 'x' as entry 0 does, without an order between them}}
  %1 = exec.launch @r(%x) "r" units [T] stream 1 : !exec.view<f32>
}
