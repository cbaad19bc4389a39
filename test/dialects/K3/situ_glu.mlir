// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

func.func @f(%x: tensor<?x256xf32>) -> tensor<?x128xbf16> {
  // CHECK: k3.situ_glu %{{.*}} betas 4.000000e+00, 2.500000e+01 : tensor<?x256xf32> -> tensor<?x128xbf16>
  %0 = k3.situ_glu %x betas 4.0, 25.0 : tensor<?x256xf32> -> tensor<?x128xbf16>
  return %0 : tensor<?x128xbf16>
}
