// arith and math work on tiles of one layout; a cast keeps it, a comparison gives i1 of it.
// RUN: k3-opt %s --verify-roundtrip | FileCheck %s

#rows = #tile.layout<rows 8 1024 4>
tile.kernel @k() {
  tile.roles {
    tile.role "r" warps 4 (%i) {
      // CHECK: %[[X:.*]] = arith.constant dense<1.000000e+00> : tensor<1024xf32, #rows8x1024x4>
      %x = arith.constant dense<1.0> : tensor<1024xf32, #rows>
      // CHECK: math.exp2 %[[X]] fastmath<afn> : tensor<1024xf32, #rows8x1024x4>
      %e = math.exp2 %x fastmath<afn> : tensor<1024xf32, #rows>
      // CHECK: arith.cmpf olt, {{.*}} : tensor<1024xf32, #rows8x1024x4>
      %m = arith.cmpf olt, %x, %e : tensor<1024xf32, #rows>
      // CHECK: arith.select {{.*}} : tensor<1024xi1, #rows8x1024x4>, tensor<1024xf32, #rows8x1024x4>
      %s = arith.select %m, %x, %e : tensor<1024xi1, #rows>, tensor<1024xf32, #rows>
      // CHECK: arith.truncf {{.*}} : tensor<1024xf32, #rows8x1024x4> to tensor<1024xbf16, #rows8x1024x4>
      %h = arith.truncf %s : tensor<1024xf32, #rows> to tensor<1024xbf16, #rows>
    }
  }
  tile.return
}
