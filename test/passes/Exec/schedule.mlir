// RUN: k3-opt %s --pass-pipeline='builtin.module(exec.program(k3-exec-schedule))' | FileCheck %s

exec.kernel @w "w"
exec.kernel @r "r"
exec.kernel @rw "rw"

// Read after write, write after read, write after write across streams; on one stream nothing is said.
// CHECK-LABEL: exec.program @hazards
exec.program @hazards step on "host" bucket {T = [0, 8]} streams 2 {
  %x = exec.tensor "x" dims [T, 4] : f32
  %y = exec.tensor "y" dims [T, 4] : f32
  // CHECK: %[[A:.*]] = exec.launch @w(%{{.*}}) "w" units [T] :
  %a = exec.launch @w(%x) "w" units [T] : !exec.view<f32>
  // CHECK: %[[B:.*]] = exec.launch @rw(%{{.*}}) "rw" units [T] stream 1 after(%[[A]]) :
  %b = exec.launch @rw(%x, %y) "rw" units [T] stream 1 : !exec.view<f32>, !exec.view<f32>
  // CHECK: %[[C:.*]] = exec.launch @w(%{{.*}}) "w" units [T] after(%[[B]]) :
  %c = exec.launch @w(%x) "w" units [T] : !exec.view<f32>
  // CHECK: exec.launch @w(%{{.*}}) "w" units [T] stream 1 after(%[[C]]) :
  %d = exec.launch @w(%x) "w" units [T] stream 1 : !exec.view<f32>
  // CHECK: exec.launch @r(%{{.*}}) "r" units [T] stream 1 :
  %e = exec.launch @r(%y) "r" units [T] stream 1 : !exec.view<f32>
}

// c waits for b, and b waited for a: a is not named again. A wait that is there without need stays a requirement.
// CHECK-LABEL: exec.program @reduced
exec.program @reduced step on "host" bucket {T = [0, 8]} streams 3 {
  %x = exec.tensor "x" dims [T, 4] : f32
  %y = exec.tensor "y" dims [T, 4] : f32
  // CHECK: %[[A:.*]] = exec.launch @w
  %a = exec.launch @w(%x) "w" units [T] : !exec.view<f32>
  // CHECK: %[[B:.*]] = exec.launch @rw({{.*}}) "rw" units [T] stream 1 after(%[[A]])
  %b = exec.launch @rw(%x, %y) "rw" units [T] stream 1 : !exec.view<f32>, !exec.view<f32>
  // CHECK: %[[C:.*]] = exec.launch @rw({{.*}}) "rw" units [T] stream 2 after(%[[B]])
  %c = exec.launch @rw(%y, %x) "rw" units [T] stream 2 : !exec.view<f32>, !exec.view<f32>
  // CHECK: exec.launch @r({{.*}}) "r" units [T] after(%[[C]])
  %d = exec.launch @r(%y) "r" units [T] after(%b, %c) : !exec.view<f32>
}

// Columns of one matrix and rows of one buffer are apart.
// CHECK-LABEL: exec.program @apart
exec.program @apart step on "host" bucket {T = [0, 8], S = [0, 8]} streams 2 {
  %m = exec.tensor "m" dims [T, 8] : f32
  %l = exec.view %m at [0] dims [T, 3] row_stride 8 : !exec.view<f32> -> f32
  %r = exec.view %m at [3] dims [T, 5] row_stride 8 : !exec.view<f32> -> f32
  %o = exec.view %m at [2] dims [T, 5] row_stride 8 : !exec.view<f32> -> f32
  // CHECK: %[[A:.*]] = exec.launch @w({{.*}}) "w" units [T] :
  %a = exec.launch @w(%l) "w" units [T] : !exec.view<f32>
  // CHECK: exec.launch @w({{.*}}) "w" units [T] stream 1 :
  %b = exec.launch @w(%r) "w" units [T] stream 1 : !exec.view<f32>
  // CHECK: exec.launch @w({{.*}}) "w" units [T] stream 1 after(%[[A]]) :
  %c = exec.launch @w(%o) "w" units [T] stream 1 : !exec.view<f32>
  %buffer = exec.buffer staging "stage" bytes [4096]
  %low = exec.view %buffer at [S] dims [16] : !exec.buffer -> f32
  %high = exec.view %buffer at [S + 16] dims [16] : !exec.buffer -> f32
  %fixed = exec.view %buffer at [23] dims [16] : !exec.buffer -> f32
  // CHECK: %[[D:.*]] = exec.launch @w({{.*}}) "w" units [16] :
  %d = exec.launch @w(%low) "w" units [16] : !exec.view<f32>
  // CHECK: %[[E:.*]] = exec.launch @w({{.*}}) "w" units [16] stream 1 :
  %e = exec.launch @w(%high) "w" units [16] stream 1 : !exec.view<f32>
  // CHECK: exec.launch @w({{.*}}) "w" units [16] after(%[[E]]) :
  %f = exec.launch @w(%fixed) "w" units [16] : !exec.view<f32>
}

// State is one memory a symbol, whoever names it.
k3.state @s recurrent : tensor<2x4x4xf32>
// CHECK-LABEL: exec.program @state
exec.program @state step on "host" bucket {T = [0, 8]} streams 2 {
  %s0 = exec.state @s dims [1, 2, 4, 4] : f32
  %s1 = exec.state @s dims [1, 32] : f32
  // CHECK: %[[A:.*]] = exec.launch @w
  %a = exec.launch @w(%s0) "w" units [T] : !exec.view<f32>
  // CHECK: exec.launch @r({{.*}}) "r" units [T] stream 1 after(%[[A]])
  %b = exec.launch @r(%s1) "r" units [T] stream 1 : !exec.view<f32>
}

k3.weight @f[4] : tensor<8x8xbf16> from "experts.{e}"
// Within a member the kernel waits for its own fetch; the launch behind waits for all members.
// CHECK-LABEL: exec.program @members
exec.program @members pack on "host" streams 2 {
  %stage = exec.buffer staging "stage" bytes [256]
  %out = exec.buffer weights "out" bytes [512]
  // CHECK: %[[M:.*]] = exec.members 4 slots 2 {
  %m = exec.members 4 slots 2 {
    %v = exec.view %stage at [slot * 64] dims [8, 8] : !exec.buffer -> bf16
    %o = exec.view %out at [member * 64] dims [8, 8] : !exec.buffer -> bf16
    // CHECK: %[[F:.*]] = exec.fetch
    %f = exec.fetch @f "" -> %v : !exec.view<bf16>
    // CHECK: exec.launch @rw({{.*}}) "rw" units [8] stream 1 after(%[[F]])
    %l = exec.launch @rw(%v, %o) "rw" units [8] stream 1 : !exec.view<bf16>, !exec.view<bf16>
  }
  %second = exec.view %out at [64] dims [8, 8] : !exec.buffer -> bf16
  // CHECK: exec.launch @r({{.*}}) "r" units [8] stream 1 after(%[[M]])
  %r = exec.launch @r(%second) "r" units [8] stream 1 : !exec.view<bf16>
}
