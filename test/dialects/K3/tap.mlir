// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

func.func @f(%x: tensor<?x192xf32>, %ids: tensor<?x4xi32>) {
  // CHECK: k3.tap "layer.3.attn_in" %{{.*}} : tensor<?x192xf32>
  %0 = k3.tap "layer.3.attn_in" %x : tensor<?x192xf32>
  // CHECK: k3.tap "layer.3.expert_ids" %{{.*}} : tensor<?x4xi32>
  %1 = k3.tap "layer.3.expert_ids" %ids : tensor<?x4xi32>
  return
}
