// Each register by itself: packed conversions, approximate instructions where the op allows them, exact code elsewhere.
// RUN: k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --ptx | FileCheck %s
// RUN: %if ptxas %{ k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --assemble | FileCheck %s --check-prefix=ASM %}
// ASM: 0 bytes spilled
#v = #tile.layout<rows 4 128 1>
tile.kernel @elementwise(%x: !tile.view<?x128xf32>, %h: !tile.view<?x128xbf16>, %y: !tile.view<?x128xf32> {tile.role = #tile.arg_role<step_out>},
                         %z: !tile.view<?x128xbf16> {tile.role = #tile.arg_role<step_out>}, %k: !tile.view<?x128xi32> {tile.role = #tile.arg_role<step_out>}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  tile.roles {
    tile.role "r" warps 1 (%i) {
      %a = tile.load %x[%c0, %c0] : !tile.view<?x128xf32> -> tensor<128xf32, #v>
      %b = tile.load %x[%c1, %c0] : !tile.view<?x128xf32> -> tensor<128xf32, #v>
      %p = tile.load %h[%c0, %c0] : !tile.view<?x128xbf16> -> tensor<128xbf16, #v>
      %q = tile.load %h[%c1, %c0] : !tile.view<?x128xbf16> -> tensor<128xbf16, #v>
      %one = arith.constant dense<1.0> : tensor<128xf32, #v>
      %sq = arith.mulf %a, %a : tensor<128xf32, #v>
      %pos = arith.addf %sq, %one : tensor<128xf32, #v>
      // CHECK-DAG: ex2.approx.ftz.f32
      %e = math.exp2 %b fastmath<afn> : tensor<128xf32, #v>
      // CHECK-DAG: rsqrt.approx.ftz.f32
      %r = math.rsqrt %pos fastmath<afn> : tensor<128xf32, #v>
      %er = arith.mulf %e, %r : tensor<128xf32, #v>
      // CHECK-DAG: div.rn.f32
      %d = arith.divf %b, %pos : tensor<128xf32, #v>
      // CHECK-DAG: sqrt.rn.f32
      %s = math.sqrt %pos : tensor<128xf32, #v>
      %ds = arith.addf %d, %s : tensor<128xf32, #v>
      // CHECK-DAG: fma.rn.f32
      %f = math.fma %er, %ds, %a : tensor<128xf32, #v>
      tile.store %f -> %y[%c0, %c0] : tensor<128xf32, #v> -> !tile.view<?x128xf32>
      %lt = arith.cmpf olt, %a, %b : tensor<128xf32, #v>
      %m = arith.select %lt, %a, %b : tensor<128xi1, #v>, tensor<128xf32, #v>
      %mx = arith.maxnumf %a, %b : tensor<128xf32, #v>
      %mm = arith.subf %mx, %m : tensor<128xf32, #v>
      // CHECK-DAG: rcp.approx.ftz.f32
      %rc = tile.rcp %pos : tensor<128xf32, #v>
      %mr = arith.mulf %mm, %rc : tensor<128xf32, #v>
      tile.store %mr -> %y[%c1, %c0] : tensor<128xf32, #v> -> !tile.view<?x128xf32>
      %pf = arith.extf %p : tensor<128xbf16, #v> to tensor<128xf32, #v>
      %qf = arith.extf %q : tensor<128xbf16, #v> to tensor<128xf32, #v>
      %pq = arith.mulf %pf, %qf : tensor<128xf32, #v>
      tile.store %pq -> %y[%c2, %c0] : tensor<128xf32, #v> -> !tile.view<?x128xf32>
      // CHECK-DAG: cvt.rn.bf16x2.f32
      %pqh = arith.truncf %pq : tensor<128xf32, #v> to tensor<128xbf16, #v>
      tile.store %pqh -> %z[%c0, %c0] : tensor<128xbf16, #v> -> !tile.view<?x128xbf16>
      // CHECK-DAG: add.{{.*}}bf16x2
      %hs = arith.addf %p, %q : tensor<128xbf16, #v>
      tile.store %hs -> %z[%c1, %c0] : tensor<128xbf16, #v> -> !tile.view<?x128xbf16>
      %gt = arith.cmpf ogt, %p, %q : tensor<128xbf16, #v>
      %hm = arith.select %gt, %p, %q : tensor<128xi1, #v>, tensor<128xbf16, #v>
      tile.store %hm -> %z[%c2, %c0] : tensor<128xbf16, #v> -> !tile.view<?x128xbf16>
      %bits = tile.bitcast %a : tensor<128xf32, #v> -> tensor<128xi32, #v>
      %col = tile.iota 0 : tensor<128xi32, #v>
      %seven = arith.constant dense<7> : tensor<128xi32, #v>
      %and = arith.andi %bits, %seven : tensor<128xi32, #v>
      %sum = arith.addi %and, %col : tensor<128xi32, #v>
      tile.store %sum -> %k[%c0, %c0] : tensor<128xi32, #v> -> !tile.view<?x128xi32>
      %fi = arith.fptosi %qf : tensor<128xf32, #v> to tensor<128xi32, #v>
      %sh = arith.shli %fi, %and : tensor<128xi32, #v>
      tile.store %sh -> %k[%c1, %c0] : tensor<128xi32, #v> -> !tile.view<?x128xi32>
    }
  }
  tile.return
}
