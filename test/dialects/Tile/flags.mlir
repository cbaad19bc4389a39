// Counters and flags in global memory, dependent launch, where a CTA is.
// RUN: k3-opt %s --verify-roundtrip | FileCheck %s

func.func @f(%counters: !tile.view<?x4xi32>, %i: i32, %ok: i1) {
  // CHECK: tile.signal %{{.*}}[%{{.*}}, %{{.*}}] add %{{.*}} : <?x4xi32>
  tile.signal %counters[%i, %i] add %i : !tile.view<?x4xi32>
  // CHECK: tile.signal {{.*}} scope<sys>
  tile.signal %counters[%i, %i] add %i scope<sys> : !tile.view<?x4xi32>
  // CHECK: tile.await %{{.*}}[%{{.*}}, %{{.*}}] ge %{{.*}} : <?x4xi32>
  tile.await %counters[%i, %i] ge %i : !tile.view<?x4xi32>
  // CHECK: tile.atomic_add %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : <?x4xi32>
  %old = tile.atomic_add %counters[%i, %i], %i : !tile.view<?x4xi32>
  // CHECK: tile.assert_flag %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] code 7 : <?x4xi32>
  tile.assert_flag %ok, %counters[%i, %i] code 7 : !tile.view<?x4xi32>
  // CHECK: tile.pdl_wait
  tile.pdl_wait
  // CHECK: tile.pdl_launch
  tile.pdl_launch
  // CHECK: tile.cta_id
  %x = tile.cta_id
  // CHECK: tile.cta_id dim<y>
  %y = tile.cta_id dim<y>
  // CHECK: tile.num_ctas
  %n = tile.num_ctas
  // CHECK: tile.cluster_id
  %c = tile.cluster_id
  // CHECK: tile.num_clusters
  %m = tile.num_clusters
  // CHECK: tile.cta_rank
  %r = tile.cta_rank
  return
}
