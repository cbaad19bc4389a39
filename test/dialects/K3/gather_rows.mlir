// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

func.func @f(%x: tensor<?x192xf32>, %rows: tensor<?xi32>) -> tensor<?x192xf32> {
  // CHECK: k3.gather_rows %{{.*}}[%{{.*}}] : tensor<?x192xf32>, tensor<?xi32> -> tensor<?x192xf32>
  %0 = k3.gather_rows %x[%rows] : tensor<?x192xf32>, tensor<?xi32> -> tensor<?x192xf32>
  return %0 : tensor<?x192xf32>
}
