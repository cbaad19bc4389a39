// Arguments with roles, a map with its view, cluster and residency; the prologue allocates, the roles run side by side.
// RUN: k3-opt %s --verify-roundtrip | FileCheck %s

// CHECK: tile.kernel @copy(%{{.*}}: !tile.map<8x64xbf16> {tile.describes = 1 : i64}, %{{.*}}: !tile.view<?x64xbf16> {tile.role = #tile.arg_role<step_out>}, %{{.*}}: i32, %{{.*}}: i64, %{{.*}}: f32) attributes {cluster = array<i32: 2, 1, 1>, resident = 132 : i64} {
tile.kernel @copy(%map: !tile.map<8x64xbf16> {tile.describes = 1 : i64}, %view: !tile.view<?x64xbf16> {tile.role = #tile.arg_role<step_out>},
                  %rows: i32, %n: i64, %eps: f32) attributes {cluster = array<i32: 2, 1, 1>, resident = 132 : i64} {
  %buffer = tile.alloc "rows" : !tile.shared<8x64xbf16, #tile.smem<row_major 8 64 2>>
  %full = tile.mbar_alloc "full" : !tile.mbar<1, arrivals = 1>
  tile.pdl_wait
  tile.roles {
    // CHECK: tile.role "one" warps 1 (%{{.*}}) {
    tile.role "one" warps 1 (%i) {
    }
    // CHECK: tile.role "many" instances 3 warps 4 regs 232 at_warp 4 (%{{.*}}) attributes {note = "math"} {
    tile.role "many" instances 3 warps 4 regs 232 at_warp 4 (%i) attributes {note = "math"} {
    }
  }
  // CHECK: tile.return
  tile.return
}
