// The frame of a kernel: parameters, barriers, roles on the warp's number, register budgets that idle warps set too.
// RUN: k3-opt %s --k3-lower-tile-to-nvvm | k3-lowered-opt | FileCheck %s

// CHECK: llvm.mlir.global external @k3_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: llvm.func @frame(%[[X:.*]]: !llvm.ptr<1>, %[[MAP:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %[[N:.*]]: i32)
// CHECK-SAME: nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 256, 1, 1>
tile.kernel @frame(%x: !tile.view<?x64xbf16>, %map: !tile.map<64x64xbf16, swizzle 128> {tile.describes = 0 : i64}, %n: i32)
    attributes {threads = 256 : i64, shared_bytes = 8208 : i64} {
  // CHECK: %[[LANE:.*]] = llvm.and
  // CHECK: %[[WARP:.*]] = nvvm.shfl.sync idx
  // CHECK: nvvm.prefetch tensormap, %[[MAP]]
  // CHECK: nvvm.mbarrier.init
  // CHECK: nvvm.mbarrier.init
  // CHECK: nvvm.fence.mbarrier.init
  // CHECK: nvvm.barrier
  %s = tile.alloc "s" {offset = 0 : i64} : !tile.shared<64x64xbf16, #tile.smem<sw128 64 64 2>>
  %b = tile.mbar_alloc "b" {offset = 8192 : i64} : !tile.mbar<2, arrivals = 1>
  %c = tile.cursor : !tile.cursor<2>
  %0 = arith.constant 0 : i32
  tile.roles {
    // One warp works, all four of the warpgroup set the budget.
    // CHECK: %[[LOAD:.*]] = llvm.icmp "ult" %[[WARP]], %{{.*}} : i32
    // CHECK: llvm.cond_br %[[LOAD]]
    // CHECK: nvvm.setmaxregister decrease 24
    // CHECK: %[[BUSY:.*]] = llvm.icmp "ult" %[[WARP]]
    // CHECK: llvm.cond_br %[[BUSY]]
    // CHECK: nvvm.elect.sync
    // CHECK: nvvm.mbarrier.arrive.expect_tx
    // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} {isCTAOnly = true}
    tile.role "load" warps 1 regs 24 at_warp 0 (%i) {
      tile.elect {
        tile.mbar_expect %b[%c] bytes 8192 : !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
        tile.map_load %map[%0, %n] -> %s on %b[%c] : !tile.map<64x64xbf16, swizzle 128> -> !tile.shared<64x64xbf16, #tile.smem<sw128 64 64 2>>, !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
      }
    }
    // Two instances of two warps.
    // CHECK: nvvm.setmaxregister decrease 232
    // CHECK: %[[IN:.*]] = llvm.add %[[WARP]], %{{.*}} : i32
    // CHECK: llvm.udiv %[[IN]]
    // CHECK: llvm.urem %[[IN]]
    // CHECK: nvvm.mbarrier.try_wait
    // CHECK: nvvm.barrier id = %{{.*}} number_of_threads
    tile.role "math" instances 2 warps 2 regs 232 at_warp 4 (%j) {
      tile.mbar_wait %b[%c] : !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
      tile.team_sync {id = 1 : i64}
    }
  }
  tile.return
}
