// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

k3.weight @w : tensor<192xbf16> from "w"
func.func @f(%x: tensor<?x192xf32>) -> tensor<?x192xbf16> {
  // CHECK: k3.rms_norm %{{.*}}, @w eps 1.000000e-05 : tensor<?x192xf32> -> tensor<?x192xbf16>
  %0 = k3.rms_norm %x, @w eps 1.0e-5 : tensor<?x192xf32> -> tensor<?x192xbf16>
  return %0 : tensor<?x192xbf16>
}
