// RUN: k3-opt %s --k3-host-lower-to-exec | FileCheck %s

// Sources are fetched to staging memory, one kernel pulls the packed value from there. A family does so member by member
// in two staging halves, elements and scales apart.

module attributes {k3.version = 1 : i64} {
  k3.weight @a : tensor<4x8xbf16> from "a"
  k3.weight @e[3] : !k3.mx<4x32, e2m1> from "e.{e}"
  k3.packed @a2 : tensor<8x8xf32> {
    %0 = k3.get @a : tensor<4x8xbf16>
    %1 = k3.concat %0, %0 dim 0 : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<8x8xbf16>
    %2 = k3.cast %1 : tensor<8x8xbf16> -> tensor<8x8xf32>
    k3.yield %2 : tensor<8x8xf32>
  }
  k3.packed @e2[3] : !k3.mx<4x32, e2m1> { %0 = k3.get @e : !k3.mx<4x32, e2m1>  k3.yield %0 : !k3.mx<4x32, e2m1> }

  // CHECK: exec.program @pack pack on "host"
  // CHECK: exec.buffer staging "staging" bytes [256]
  func.func @pack() {
    // CHECK: exec.fetch @a "" ->
    // CHECK: exec.packed @a2 dims [8, 8] : f32
    // CHECK: exec.launch @pack_{{[0-9a-f]+}}({{.*}}) "rw" units [8]
    %0 = k3.get @a : tensor<4x8xbf16>
    %1 = k3.concat %0, %0 dim 0 : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<8x8xbf16>
    %2 = k3.cast %1 : tensor<8x8xbf16> -> tensor<8x8xf32>
    k3.store_packed %2, @a2 : tensor<8x8xf32>
    // CHECK: exec.members 3 slots 2 {
    // CHECK: exec.fetch @e ".weight_packed" ->
    // CHECK: exec.fetch @e ".weight_scale" ->
    // CHECK: exec.packed @e2 member [member] dims [68]
    // CHECK: exec.view %{{.*}} at [0] dims [4, 16]
    // CHECK: exec.launch @pack_{{.*}} "rw" units [4]
    // CHECK: exec.view %{{.*}} at [64] dims [4, 1]
    // CHECK: exec.launch @pack_{{.*}} "rw" units [4]
    %3 = k3.get @e : !k3.mx<4x32, e2m1>
    k3.store_packed %3, @e2 : !k3.mx<4x32, e2m1>
    return
  }
}
