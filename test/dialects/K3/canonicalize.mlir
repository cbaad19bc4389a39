// RUN: k3-opt %s -canonicalize -split-input-file | FileCheck %s

!h = tensor<?x192xf32>
k3.weight @query : tensor<192xf32> from "query"
k3.weight @norm : tensor<192xf32> from "norm"

// One source has weight 1 exactly.
// CHECK-LABEL: @single_source
// CHECK-SAME: %[[P:.*]]: tensor
func.func @single_source(%p: !h) -> !h {
  // CHECK-NEXT: return %[[P]]
  %0 = k3.attn_res [] %p, @query eps 1.0e-5 : [] !h -> !h
  return %0 : !h
}

// CHECK-LABEL: @single_source_normed
// CHECK-SAME: %[[P:.*]]: tensor
func.func @single_source_normed(%p: !h) -> !h {
  // CHECK-NEXT: %[[N:.*]] = k3.rms_norm %[[P]], @norm eps 1.000000e-05
  // CHECK-NEXT: return %[[N]]
  %0 = k3.attn_res [] %p, @query norm @norm eps 1.0e-5 : [] !h -> !h
  return %0 : !h
}

// CHECK-LABEL: @two_sources_stay
func.func @two_sources_stay(%b: !h, %p: !h) -> !h {
  // CHECK-NEXT: k3.attn_res [
  %0 = k3.attn_res [%b] %p, @query eps 1.0e-5 : [!h] !h -> !h
  return %0 : !h
}

// The sum is a result of its own.
// CHECK-LABEL: @plus_stays
func.func @plus_stays(%p: !h, %z: !h) -> (!h, !h) {
  // CHECK-NEXT: k3.attn_res [] %{{.*}} plus
  %0, %1 = k3.attn_res [] %p plus %z, @query eps 1.0e-5 : [] !h plus !h -> !h, !h
  return %0, %1 : !h, !h
}

// CHECK-LABEL: @reshapes
// CHECK-SAME: %[[X:.*]]: tensor<?x256xf32>
func.func @reshapes(%x: tensor<?x256xf32>) -> (tensor<?x256xf32>, tensor<?x4x64xf32>, tensor<?x256xf32>) {
  %0 = k3.reshape %x : tensor<?x256xf32> -> tensor<?x256xf32>
  %1 = k3.reshape %x : tensor<?x256xf32> -> tensor<?x2x128xf32>
  // CHECK-NEXT: %[[R:.*]] = k3.reshape %[[X]] : tensor<?x256xf32> -> tensor<?x4x64xf32>
  %2 = k3.reshape %1 : tensor<?x2x128xf32> -> tensor<?x4x64xf32>
  %3 = k3.reshape %1 : tensor<?x2x128xf32> -> tensor<?x256xf32>
  // CHECK-NEXT: return %[[X]], %[[R]], %[[X]]
  return %0, %2, %3 : tensor<?x256xf32>, tensor<?x4x64xf32>, tensor<?x256xf32>
}

// CHECK-LABEL: @split_of_one
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>
func.func @split_of_one(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = k3.split %x : tensor<?x4xf32> -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: @pack_identities
// CHECK-SAME: %[[W:.*]]: tensor<4x8xf32>
func.func @pack_identities(%w: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: return %[[W]]
  %0 = k3.concat %w dim 0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = k3.pad %0 dim 0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = k3.slice %1 dim 1 at 0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = k3.rank_slice %2 dim 0 over "tp" : tensor<4x8xf32> -> tensor<4x8xf32>
  %4 = k3.transpose %3 by [0, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  %5 = k3.cast %4 : tensor<4x8xf32> -> tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}

// CHECK-LABEL: @pack_square_transpose_stays
func.func @pack_square_transpose_stays(%w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK-NEXT: k3.transpose
  %0 = k3.transpose %w by [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: @collectives_of_one_rank
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>
func.func @collectives_of_one_rank(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = k3.all_reduce %x over ["tp"] : tensor<?x4xf32> -> tensor<?x4xf32>
  %1 = k3.all_gather %0 over ["ep", "dp"] {dim = 1 : i64} : tensor<?x4xf32> -> tensor<?x4xf32>
  %2 = k3.reduce_scatter %1 over ["tp"] : tensor<?x4xf32> -> tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}

// -----

module attributes {k3.mesh = #k3.mesh<pp = 1, dp = 1, tp = 2, ep = 1, cp = 1>} {
  // CHECK-LABEL: @collectives_of_two_ranks_stay
  func.func @collectives_of_two_ranks_stay(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    // CHECK-NEXT: k3.all_reduce
    %0 = k3.all_reduce %x over ["tp"] : tensor<?x4xf32> -> tensor<?x4xf32>
    // CHECK-NEXT: k3.all_gather
    %1 = k3.all_gather %0 over ["tp"] : tensor<?x4xf32> -> tensor<?x4xf32>
    return %1 : tensor<?x4xf32>
  }
}
