// Copies by the engine: boxes innermost coordinate first, to several CTAs of a cluster, with a policy; stores by group.
// RUN: k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-assign-warps,k3-tile-assign-shared),k3-lower-tile-to-nvvm)' | k3-lowered-opt --ptx | FileCheck %s

#sw = #tile.smem<sw128 64 64 2>
// CHECK: .param .align 64 .b8 copies_param_0[128]
// CHECK: .param .u64 .ptr .global {{.*}}copies_param_1
// CHECK: .reqnctapercluster 2, 1, 1
tile.kernel @copies(%map: !tile.map<64x64xbf16, swizzle 128> {tile.describes = 1 : i64}, %x: !tile.view<?x64xbf16>, %m: i32, %k: i32)
    attributes {cluster = array<i32: 2, 1, 1>} {
  // CHECK: prefetch.param.tensormap
  %tile = tile.alloc "tile" : !tile.shared<64x64xbf16, #sw>
  %full = tile.mbar_alloc "full" : !tile.mbar<2, arrivals = 1>
  %c = tile.cursor : !tile.cursor<2>
  %mask = arith.constant 3 : i32
  tile.roles {
    tile.role "load" warps 1 (%i) {
      // CHECK: elect.sync
      // CHECK-DAG: ld.param.b32 [[M:%r[0-9]+]], [copies_param_2]
      // CHECK-DAG: ld.param.b32 [[K:%r[0-9]+]], [copies_param_3]
      tile.elect {
        // CHECK: createpolicy.fractional.L2::evict_last.b64 [[POLICY:%rd[0-9]+]], 1.0
        %policy = tile.policy<evict_last>
        // CHECK: cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [{{.*}}], [{{.*}}, {[[K]], [[M]]}], [{{.*}}];
        tile.map_load %map[%m, %k] -> %tile on %full[%c] : !tile.map<64x64xbf16, swizzle 128> -> !tile.shared<64x64xbf16, #sw>, !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
        // CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint {{.*}}, [[POLICY]];
        tile.map_load %map[%m, %k] -> %tile on %full[%c] multicast %mask policy %policy : !tile.map<64x64xbf16, swizzle 128> -> !tile.shared<64x64xbf16, #sw>, !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
        // CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [{{.*}}, {[[K]], [[M]]}], [{{.*}}];
        tile.map_store %tile -> %map[%m, %k] : !tile.shared<64x64xbf16, #sw> -> !tile.map<64x64xbf16, swizzle 128>
        // CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group.L2::cache_hint {{.*}}, [[POLICY]];
        tile.map_store %tile -> %map[%m, %k] add policy %policy : !tile.shared<64x64xbf16, #sw> -> !tile.map<64x64xbf16, swizzle 128>
        // CHECK: cp.async.bulk.commit_group
        tile.bulk_commit
        // CHECK: cp.async.bulk.wait_group.read 1
        tile.bulk_wait 1 read
      }
    }
  }
  // Peers may still write here.
  // CHECK: barrier.cluster.arrive
  // CHECK: barrier.cluster.wait
  tile.return
}
