// Rows picked by an index tile; a negative index gives zeros. cp.async fills with zeros what a limit cuts off.
// RUN: k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --ptx | FileCheck %s
// RUN: %if ptxas %{ k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --assemble | FileCheck %s --check-prefix=ASM %}
// ASM: 0 bytes spilled
#acc = #tile.layout<acc 16>
#index = #tile.layout<reg [[8]] lane [[0], [0], [1], [2], [4]] warp [[16], [32]]>
#lanes = #tile.layout<reg [[0, 1], [0, 2], [0, 4]] lane [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]] warp [[4, 0], [8, 0]]>
#sw = #tile.smem<sw128 16 64 2>
tile.kernel @gather(%x: !tile.view<?x256xbf16>, %rows: !tile.view<64xi32>, %y: !tile.view<?x16xbf16> {tile.role = #tile.arg_role<step_out>},
                    %z: !tile.view<?x64xbf16> {tile.role = #tile.arg_role<step_out>}, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %s = tile.alloc "s" : !tile.shared<16x64xbf16, #sw>
  tile.roles {
    tile.role "four" warps 4 (%i) {
      %r = tile.load %rows[%c0] : !tile.view<64xi32> -> tensor<64xi32, #index>
      // CHECK: setp.{{gt|ge|lt}}.s32
      // CHECK-COUNT-4: @%p{{[0-9]+}} ld.global.b32
      %g = tile.gather_load %x[%r, %c16] : !tile.view<?x256xbf16>, tensor<64xi32, #index> -> tensor<64x16xbf16, #acc>
      tile.store %g -> %y[%c0, %c0] : tensor<64x16xbf16, #acc> -> !tile.view<?x16xbf16>
      // CHECK: cp.async.cg.shared.global [%rd{{[0-9]+}}], [%rd{{[0-9]+}}+32], 16, %r{{[0-9]+}};
      // CHECK: cp.async.commit_group
      // CHECK: cp.async.wait_group
      // CHECK: bar.sync
      tile.cp_async %x[%c0, %c16] -> %s by (#lanes) limit [%n, %m] : !tile.view<?x256xbf16> -> !tile.shared<16x64xbf16, #sw>
      tile.cp_async_commit
      tile.cp_async_wait 0
      tile.team_sync
      // CHECK: ld.shared.v4.b32
      %v = tile.load_shared %s : !tile.shared<16x64xbf16, #sw> -> tensor<16x64xbf16, #lanes>
      tile.store %v -> %z[%c0, %c0] : tensor<16x64xbf16, #lanes> -> !tile.view<?x64xbf16>
    }
  }
  tile.return
}
