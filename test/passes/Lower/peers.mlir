// A cluster of two: tiles and arrivals at the peer, bulk copies through a ring, control flow.
// RUN: k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --ptx | FileCheck %s
// RUN: %if ptxas %{ k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --assemble | FileCheck %s --check-prefix=ASM %}
// ASM: 0 bytes spilled
#v = #tile.layout<rows 4 128 1>
#s = #tile.layout<rows 4 128 1>
#row = #tile.smem<row_major 1 128 4>
#r2 = #tile.layout<reg [[0, 1], [0, 2]] lane [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]]>
// CHECK: .reqnctapercluster 2, 1, 1
// CHECK: mbarrier.init
// CHECK: fence.mbarrier_init.release.cluster
// CHECK: barrier.cluster.arrive.aligned
tile.kernel @peers(%x: !tile.view<?x128xf32>, %y: !tile.view<?x128xf32> {tile.role = #tile.arg_role<step_out>}, %z: !tile.view<?x128xf32> {tile.role = #tile.arg_role<step_out>}, %n: i32)
    attributes {cluster = array<i32: 2, 1, 1>} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.constant 2 : i32
  %mail = tile.alloc "mail" : !tile.shared<1x128xf32, #row>
  %ring = tile.alloc "ring" : !tile.shared<1x128xf32, #row, stages 3>
  %out = tile.alloc "out" : !tile.shared<1x128xf32, #row>
  %full = tile.mbar_alloc "full" : !tile.mbar<3, arrivals = 1>
  %empty = tile.mbar_alloc "empty" : !tile.mbar<3, arrivals = 1>
  %came = tile.mbar_alloc "came" : !tile.mbar<1, arrivals = 1>
  tile.roles {
    tile.role "load" warps 1 (%i) {
      tile.elect {
        %rank = tile.cta_rank
        %policy = tile.policy<evict_first>
        %c0 = tile.cursor : !tile.cursor<3>
        %e = scf.for %k = %0 to %n step %1 iter_args(%c = %c0) -> (!tile.cursor<3>) : i32 {
          tile.mbar_wait %empty[%c] producer : !tile.mbar<3, arrivals = 1>, !tile.cursor<3>
          tile.mbar_expect %full[%c] bytes 512 : !tile.mbar<3, arrivals = 1>, !tile.cursor<3>
          %slot = tile.slot %ring[%c] : !tile.shared<1x128xf32, #row, stages 3>, !tile.cursor<3>
          %k2 = arith.muli %k, %2 : i32
          %at = arith.addi %k2, %rank : i32
          // CHECK: elect.sync
          // CHECK: createpolicy.fractional.L2::evict_first.b64
          // CHECK: mbarrier.try_wait.parity.{{.*}}shared
          // CHECK: mbarrier.arrive.expect_tx
          // CHECK: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint
          tile.bulk_load %x[%at, %0] -> %slot on %full[%c] policy %policy : !tile.view<?x128xf32> -> !tile.shared<1x128xf32, #row>, !tile.mbar<3, arrivals = 1>, !tile.cursor<3>
          %next = tile.advance %c : !tile.cursor<3>
          scf.yield %next : !tile.cursor<3>
        }
      }
    }
    tile.role "add" warps 1 (%j) {
      %rank = tile.cta_rank
      %other = arith.xori %rank, %1 : i32
      %c0 = tile.cursor : !tile.cursor<3>
      %zero = arith.constant dense<0.0> : tensor<1x128xf32, #r2>
      %sum:2 = scf.for %k = %0 to %n step %1 iter_args(%acc = %zero, %c = %c0) -> (tensor<1x128xf32, #r2>, !tile.cursor<3>) : i32 {
        tile.mbar_wait %full[%c] : !tile.mbar<3, arrivals = 1>, !tile.cursor<3>
        %slot = tile.slot %ring[%c] : !tile.shared<1x128xf32, #row, stages 3>, !tile.cursor<3>
        // CHECK: ld.shared.v4.b32
        %v = tile.load_shared %slot : !tile.shared<1x128xf32, #row> -> tensor<1x128xf32, #r2>
        // CHECK: bar.warp.sync
        // CHECK: mbarrier.arrive
        tile.mbar_arrive %empty[%c] : !tile.mbar<3, arrivals = 1>, !tile.cursor<3>
        %odd = arith.remsi %k, %2 : i32
        %is = arith.cmpi eq, %odd, %1 : i32
        %w = scf.if %is -> (tensor<1x128xf32, #r2>) {
          %d = arith.addf %v, %v : tensor<1x128xf32, #r2>
          scf.yield %d : tensor<1x128xf32, #r2>
        } else {
          scf.yield %v : tensor<1x128xf32, #r2>
        }
        %a = arith.addf %acc, %w : tensor<1x128xf32, #r2>
        %next = tile.advance %c : !tile.cursor<3>
        scf.yield %a, %next : tensor<1x128xf32, #r2>, !tile.cursor<3>
      }
      %theirs = tile.peer %mail, %other : !tile.shared<1x128xf32, #row>
      // CHECK: mapa
      // CHECK: st.shared::cluster.v4.b32
      tile.store_shared %sum#0 -> %theirs : tensor<1x128xf32, #r2> -> !tile.shared<1x128xf32, #row>
      // CHECK: barrier.cluster.arrive
      tile.cluster_arrive
      // CHECK: barrier.cluster.wait
      tile.cluster_wait
      %m = tile.load_shared %mail : !tile.shared<1x128xf32, #row> -> tensor<1x128xf32, #r2>
      %both = arith.addf %m, %sum#0 : tensor<1x128xf32, #r2>
      tile.store %both -> %y[%rank, %0] : tensor<1x128xf32, #r2> -> !tile.view<?x128xf32>
      tile.store_shared %m -> %out : tensor<1x128xf32, #r2> -> !tile.shared<1x128xf32, #row>
      // CHECK: fence.proxy.async.shared::cta
      tile.fence_proxy<shared>
      tile.warp_sync
      tile.elect {
        // CHECK: cp.async.bulk.global.shared::cta.bulk_group
        tile.bulk_store %out -> %z[%rank, %0] : !tile.shared<1x128xf32, #row> -> !tile.view<?x128xf32>
        tile.bulk_commit
        // CHECK: cp.async.bulk.wait_group
        // CHECK: barrier.cluster.arrive
        // CHECK: barrier.cluster.wait
        tile.bulk_wait 0
      }
    }
  }
  tile.return
}
