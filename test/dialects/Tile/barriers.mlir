// mbarriers by cursor or number, team and cluster syncs, fences.
// RUN: k3-opt %s --verify-roundtrip | FileCheck %s

tile.kernel @k() attributes {cluster = array<i32: 2>} {
  // CHECK: %[[B:.*]] = tile.mbar_alloc "b" {offset = 8 : i64} : <4, arrivals = 8>
  %b = tile.mbar_alloc "b" {offset = 8 : i64} : !tile.mbar<4, arrivals = 8>
  %c = tile.cursor : !tile.cursor<4>
  %one = arith.constant 1 : i32
  tile.roles {
    tile.role "r" instances 2 warps 4 (%i) {
      tile.elect {
        // CHECK: tile.mbar_expect %[[B]][%{{.*}}] bytes 1048560 : <4, arrivals = 8>, !tile.cursor<4>
        tile.mbar_expect %b[%c] bytes 1048560 : !tile.mbar<4, arrivals = 8>, !tile.cursor<4>
      }
      // CHECK: tile.mbar_arrive %[[B]][%{{.*}}] : <4, arrivals = 8>, i32
      tile.mbar_arrive %b[%one] : !tile.mbar<4, arrivals = 8>, i32
      // CHECK: tile.mbar_arrive %[[B]][%{{.*}}] peer %{{.*}} arrival<per_team> : <4, arrivals = 8>, !tile.cursor<4>
      tile.mbar_arrive %b[%c] peer %one arrival<per_team> : !tile.mbar<4, arrivals = 8>, !tile.cursor<4>
      // CHECK: tile.mbar_wait %[[B]][%{{.*}}] : <4, arrivals = 8>, <4>
      tile.mbar_wait %b[%c] : !tile.mbar<4, arrivals = 8>, !tile.cursor<4>
      // CHECK: tile.mbar_wait %[[B]][%{{.*}}] producer
      tile.mbar_wait %b[%c] producer : !tile.mbar<4, arrivals = 8>, !tile.cursor<4>
      // CHECK: tile.warp_sync
      tile.warp_sync
      // CHECK: tile.team_sync {id = 1 : i64}
      tile.team_sync {id = 1 : i64}
      // CHECK: tile.named_sync "pair" warps 8
      tile.named_sync "pair" warps 8
      // CHECK: tile.named_sync "pair" warps 8 arrive per_instance
      tile.named_sync "pair" warps 8 arrive per_instance
      // CHECK: tile.cluster_arrive relaxed
      tile.cluster_arrive relaxed
      // CHECK: tile.cluster_wait
      tile.cluster_wait
      // CHECK: tile.fence_proxy<global>
      tile.fence_proxy<global>
    }
  }
  tile.return
}
