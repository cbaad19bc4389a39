// Counters: released after a team's stores, awaited and acquired by another CTA; read-modify-writes keep their order in assembly.
// RUN: k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --ptx | FileCheck %s
// RUN: %if ptxas %{ k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --assemble | FileCheck %s --check-prefix=ASM %}
// ASM: 0 bytes spilled
#v = #tile.layout<rows 4 512 4>
tile.kernel @flags(%x: !tile.view<?x512xf32>, %t: !tile.view<?x512xf32> {tile.role = #tile.arg_role<step_out>}, %y: !tile.view<?x512xf32> {tile.role = #tile.arg_role<step_out>},
                   %n: !tile.view<5xi32> {tile.role = #tile.arg_role<step_out>}) attributes {resident = 2 : i64} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.constant 2 : i32
  %3 = arith.constant 3 : i32
  // CHECK: griddepcontrol.wait
  tile.pdl_wait
  tile.roles {
    tile.role "r" warps 4 (%i) {
      %cta = tile.cta_id
      %other = arith.xori %cta, %1 : i32
      %v = tile.load %x[%cta, %0] : !tile.view<?x512xf32> -> tensor<512xf32, #v>
      tile.store %v -> %t[%cta, %0] : tensor<512xf32, #v> -> !tile.view<?x512xf32>
      tile.team_sync
      // CHECK: bar.sync
      // CHECK: red.release.gpu.global.add.u32
      tile.signal %n[%0] add %1 : !tile.view<5xi32>
      // CHECK: ld.acquire.gpu.global.u32
      // CHECK: bar.warp.sync
      tile.await %n[%0] ge %2 : !tile.view<5xi32>
      %w = tile.load %t[%other, %0] : !tile.view<?x512xf32> -> tensor<512xf32, #v>
      tile.store %w -> %y[%cta, %0] : tensor<512xf32, #v> -> !tile.view<?x512xf32>
      // CHECK: griddepcontrol.launch_dependents
      tile.pdl_launch
    }
    tile.role "one" warps 1 (%j) {
      // CHECK: atom.acq_rel.gpu.global.add.u32
      // CHECK: shfl.sync.idx.b32
      %old = tile.atomic_add %n[%1], %3 : !tile.view<5xi32>
      %small = arith.cmpi slt, %old, %0 : i32
      %cta = tile.cta_id
      %flag = arith.addi %cta, %2 : i32
      // CHECK: @p st.global.b32
      tile.assert_flag %small, %n[%flag] code 7 : !tile.view<5xi32>
      %end = scf.while (%k = %0) : (i32) -> i32 {
        %go = arith.cmpi slt, %k, %3 : i32
        scf.condition(%go) %k : i32
      } do {
      ^bb0(%k: i32):
        %next = arith.addi %k, %1 : i32
        scf.yield %next : i32
      }
      %last = arith.addi %3, %1 : i32
      // CHECK: red.release.sys.global.add.u32
      tile.signal %n[%last] add %end scope<sys> : !tile.view<5xi32>
    }
  }
  tile.return
}
