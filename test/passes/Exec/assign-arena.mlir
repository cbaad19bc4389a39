// RUN: k3-opt %s --pass-pipeline='builtin.module(exec.program(k3-exec-schedule,k3-exec-assign-arena,k3-exec-verify-arena))' | FileCheck %s

exec.kernel @w "w"
exec.kernel @rw "rw"
exec.kernel @r "r"

// A chain a -> b -> c -> d on one stream needs two places. Sizes are those of T = 9: 9 * 4 * 4 = 144, aligned 192.
// CHECK-LABEL: exec.program @chain
exec.program @chain step on "host" bucket {T = [0, 9]} {
  // CHECK: %[[ARENA:.*]] = exec.buffer arena "arena" bytes [384]
  // CHECK: exec.view %[[ARENA]] at [0] dims [T, 4] : !exec.buffer -> f32
  %a = exec.tensor "a" dims [T, 4] : f32
  // CHECK: exec.view %[[ARENA]] at [48] dims [T, 4] : !exec.buffer -> f32
  %b = exec.tensor "b" dims [T, 4] : f32
  // CHECK: exec.view %[[ARENA]] at [0] dims [T, 4] : !exec.buffer -> f32
  %c = exec.tensor "c" dims [T, 4] : f32
  // CHECK: exec.view %[[ARENA]] at [48] dims [T, 4] : !exec.buffer -> f32
  %d = exec.tensor "d" dims [T, 4] : f32
  %0 = exec.launch @w(%a) "w" units [T] : !exec.view<f32>
  %1 = exec.launch @rw(%a, %b) "rw" units [T] : !exec.view<f32>, !exec.view<f32>
  %2 = exec.launch @rw(%b, %c) "rw" units [T] : !exec.view<f32>, !exec.view<f32>
  %3 = exec.launch @rw(%c, %d) "rw" units [T] : !exec.view<f32>, !exec.view<f32>
}

// On another stream without an order the second pair shares nothing with the first.
// CHECK-LABEL: exec.program @concurrent
exec.program @concurrent step on "host" bucket {T = [0, 8]} streams 2 {
  // CHECK: exec.buffer arena "arena" bytes [256]
  %a = exec.tensor "a" dims [T, 4] : f32
  %b = exec.tensor "b" dims [T, 4] : f32
  %0 = exec.launch @w(%a) "w" units [T] stream 0 : !exec.view<f32>
  %1 = exec.launch @r(%a) "r" units [T] stream 0 : !exec.view<f32>
  %2 = exec.launch @w(%b) "w" units [T] stream 1 : !exec.view<f32>
  %3 = exec.launch @r(%b) "r" units [T] stream 1 : !exec.view<f32>
}

// With a wait between them they share.
// CHECK-LABEL: exec.program @ordered
exec.program @ordered step on "host" bucket {T = [0, 8]} streams 2 {
  // CHECK: exec.buffer arena "arena" bytes [128]
  %a = exec.tensor "a" dims [T, 4] : f32
  %b = exec.tensor "b" dims [T, 4] : f32
  %0 = exec.launch @w(%a) "w" units [T] stream 0 : !exec.view<f32>
  %1 = exec.launch @r(%a) "r" units [T] stream 0 : !exec.view<f32>
  %2 = exec.launch @w(%b) "w" units [T] stream 1 after(%1) : !exec.view<f32>
}

// A tap reads x after b was written: they may not share, although no entry reads x any more.
// CHECK-LABEL: exec.program @tapped
exec.program @tapped step on "host" bucket {T = [0, 8]} {
  // CHECK: exec.buffer arena "arena" bytes [256]
  %x = exec.tensor "x" dims [T, 4] : f32
  %b = exec.tensor "b" dims [T, 4] : f32
  %0 = exec.launch @w(%x) "w" units [T] : !exec.view<f32>
  %1 = exec.launch @w(%b) "w" units [T] : !exec.view<f32>
  exec.tap "x" %x : !exec.view<f32>
}

k3.weight @f[4] : tensor<8x8xbf16> from "experts.{e}"
// A copy for each slot.
// CHECK-LABEL: exec.program @members
exec.program @members pack on "host" {
  // CHECK: exec.buffer arena "arena" bytes [256]
  %m = exec.members 4 slots 2 {
    // CHECK: at [slot * 64] dims [8, 8] : !exec.buffer -> bf16
    %v = exec.tensor "stage" dims [8, 8] : bf16
    %f = exec.fetch @f "" -> %v : !exec.view<bf16>
    %l = exec.launch @r(%v) "r" units [8] : !exec.view<bf16>
  }
}
