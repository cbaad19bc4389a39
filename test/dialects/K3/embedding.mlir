// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

k3.weight @embed : tensor<256x192xbf16> from "embed"
func.func @f(%tokens: tensor<?xi32>) -> tensor<?x192xf32> {
  // CHECK: k3.embedding %{{.*}}, @embed : tensor<?xi32> -> tensor<?x192xf32>
  %0 = k3.embedding %tokens, @embed : tensor<?xi32> -> tensor<?x192xf32>
  return %0 : tensor<?x192xf32>
}
