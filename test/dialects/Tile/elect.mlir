// One lane: scalars, copies, barriers, scf.
// RUN: k3-opt %s --verify-roundtrip | FileCheck %s

#row = #tile.smem<row_major 1 64 2>
tile.kernel @k(%x: !tile.view<?x64xbf16>, %n: i32) {
  %buffer = tile.alloc "x" : !tile.shared<1x64xbf16, #row, stages 2>
  %full = tile.mbar_alloc "full" : !tile.mbar<2, arrivals = 1>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tile.roles {
    tile.role "load" warps 1 (%i) {
      // CHECK: tile.elect {
      // CHECK-NEXT: tile.pdl_wait
      tile.elect {
        tile.pdl_wait
        // CHECK: scf.for
        scf.for %row = %zero to %n step %one : i32 {
          // CHECK: tile.mbar_expect
          tile.mbar_expect %full[%row] bytes 128 : !tile.mbar<2, arrivals = 1>, i32
          %slot = tile.slot %buffer[%row] : !tile.shared<1x64xbf16, #row, stages 2>, i32
          tile.bulk_load %x[%row, %zero] -> %slot on %full[%row] : !tile.view<?x64xbf16> -> !tile.shared<1x64xbf16, #row>, !tile.mbar<2, arrivals = 1>, i32
          tile.mbar_arrive %full[%row] : !tile.mbar<2, arrivals = 1>, i32
        }
        // CHECK: tile.fence_proxy<shared>
        tile.fence_proxy<shared>
        tile.pdl_launch
      }
    }
  }
  tile.return
}
