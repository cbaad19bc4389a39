// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

k3.state @s recurrent : tensor<2x128x128xf32>
func.func @f(%src: tensor<?xi32>, %dst: tensor<?xi32>) {
  // CHECK: k3.copy_state %{{.*}} to %{{.*}}, @s : tensor<?xi32>, tensor<?xi32>
  k3.copy_state %src to %dst, @s : tensor<?xi32>, tensor<?xi32>
  return
}
