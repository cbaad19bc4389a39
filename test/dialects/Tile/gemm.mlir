// A GEMM main loop, producer and two consumers: every type and most ops round-trip.
// RUN: k3-opt %s --verify-roundtrip | FileCheck %s

#a = #tile.smem<sw128 128 64 2>
#a64 = #tile.smem<sw128 64 64 2>
#b = #tile.smem<sw128 256 64 2>
#acc = #tile.layout<acc 256>

// CHECK: tile.kernel @gemm
tile.kernel @gemm(%ta: !tile.map<128x64xbf16, swizzle 128> {tile.describes = 3 : i64}, %tb: !tile.map<256x64xbf16, swizzle 128> {tile.describes = 4 : i64},
                  %nk: i32, %a_: !tile.view<?x7168xbf16>, %b_: !tile.view<?x7168xbf16> {tile.role = #tile.arg_role<constant>}) {
  %A = tile.alloc "a" : !tile.shared<128x64xbf16, #a, stages 4>
  %B = tile.alloc "b" : !tile.shared<256x64xbf16, #b, stages 4>
  %full = tile.mbar_alloc "full" : !tile.mbar<4, arrivals = 1>
  %empty = tile.mbar_alloc "empty" : !tile.mbar<4, arrivals = 8>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  tile.roles {
    // CHECK: tile.role "load" warps 1 regs 24 (%{{.*}}) {
    tile.role "load" warps 1 regs 24 (%i) {
      tile.elect {
        %p0 = tile.cursor : !tile.cursor<4>
        %e = scf.for %k = %c0 to %nk step %c1 iter_args(%c = %p0) -> (!tile.cursor<4>) : i32 {
          tile.mbar_wait %empty[%c] producer : !tile.mbar<4, arrivals = 8>, !tile.cursor<4>
          tile.mbar_expect %full[%c] bytes 49152 : !tile.mbar<4, arrivals = 1>, !tile.cursor<4>
          %kk = arith.muli %k, %c64 : i32
          %sa = tile.slot %A[%c] : !tile.shared<128x64xbf16, #a, stages 4>, !tile.cursor<4>
          %sb = tile.slot %B[%c] : !tile.shared<256x64xbf16, #b, stages 4>, !tile.cursor<4>
          tile.map_load %ta[%c0, %kk] -> %sa on %full[%c] : !tile.map<128x64xbf16, swizzle 128> -> !tile.shared<128x64xbf16, #a>, !tile.mbar<4, arrivals = 1>, !tile.cursor<4>
          tile.map_load %tb[%c0, %kk] -> %sb on %full[%c] : !tile.map<256x64xbf16, swizzle 128> -> !tile.shared<256x64xbf16, #b>, !tile.mbar<4, arrivals = 1>, !tile.cursor<4>
          %n = tile.advance %c : !tile.cursor<4>
          scf.yield %n : !tile.cursor<4>
        }
      }
    }
    tile.role "math" instances 2 warps 4 regs 240 (%cw) {
      %q0 = tile.cursor : !tile.cursor<4>
      tile.mbar_wait %full[%q0] : !tile.mbar<4, arrivals = 1>, !tile.cursor<4>
      %sa = tile.slot %A[%q0] : !tile.shared<128x64xbf16, #a, stages 4>, !tile.cursor<4>
      %sb = tile.slot %B[%q0] : !tile.shared<256x64xbf16, #b, stages 4>, !tile.cursor<4>
      %a0 = tile.part %sa[%cw] dim 0 : !tile.shared<128x64xbf16, #a> -> !tile.shared<64x64xbf16, #a64>
      %p0 = tile.wgmma %a0, %sb : !tile.shared<64x64xbf16, #a64>, !tile.shared<256x64xbf16, #b> -> !tile.pending<tensor<64x256xf32, #acc>>
      tile.wgmma_commit
      // CHECK: tile.wgmma_wait 0(%{{.*}} : !tile.pending<tensor<64x256xf32, #acc256>>) : tensor<64x256xf32, #acc256>
      %r = tile.wgmma_wait 0 (%p0 : !tile.pending<tensor<64x256xf32, #acc>>) : tensor<64x256xf32, #acc>
      tile.mbar_arrive %empty[%q0] : !tile.mbar<4, arrivals = 8>, !tile.cursor<4>
    }
  }
  tile.return
}
