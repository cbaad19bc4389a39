// RUN: k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-check-barriers))' -split-input-file -verify-diagnostics

tile.kernel @gemm(%n: i32) {
  // expected-error @below {{kernel 'gemm': mbarrier 'empty': 8 arrivals a phase expected, role 'math' (1 x 4 warps) makes 4}}
  %empty = tile.mbar_alloc "empty" : !tile.mbar<4, arrivals = 8>
  // expected-error @below {{kernel 'gemm': mbarrier 'ready' is waited for, but nobody arrives}}
  %ready = tile.mbar_alloc "ready" : !tile.mbar<1, arrivals = 1>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.roles {
    tile.role "math" warps 4 (%i) {
      %r = tile.cursor : !tile.cursor<1>
      tile.mbar_wait %ready[%r] : !tile.mbar<1, arrivals = 1>, !tile.cursor<1>
      %p = tile.cursor : !tile.cursor<4>
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %p) -> (!tile.cursor<4>) : i32 {
        tile.mbar_arrive %empty[%c] : !tile.mbar<4, arrivals = 8>, !tile.cursor<4>
        %next = tile.advance %c : !tile.cursor<4>
        scf.yield %next : !tile.cursor<4>
      }
    }
  }
  tile.return
}

// -----

// One of two tiles is forgotten; a barrier without an announcement, and one without copies.
#row = #tile.smem<row_major 1 256 4>
tile.kernel @bytes(%x: !tile.view<?x256xf32>, %n: i32) {
  %ring = tile.alloc "ring" : !tile.shared<1x256xf32, #row, stages 2>
  %full = tile.mbar_alloc "full" : !tile.mbar<2, arrivals = 1>
  %mute = tile.mbar_alloc "mute" : !tile.mbar<2, arrivals = 1>
  %vain = tile.mbar_alloc "vain" : !tile.mbar<2, arrivals = 1>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.roles {
    tile.role "load" warps 1 (%i) {
      %p = tile.cursor : !tile.cursor<2>
      tile.elect {
        %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %p) -> (!tile.cursor<2>) : i32 {
          // expected-error @below {{kernel 'bytes': mbarrier 'full': phases expect 2048 B, the copies of one step bring 1024 B}}
          tile.mbar_expect %full[%c] bytes 2048 : !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
          // expected-error @below {{kernel 'bytes': phases of mbarrier 'vain' expect bytes, but no copy completes on it}}
          tile.mbar_expect %vain[%c] bytes 1024 : !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
          %slot = tile.slot %ring[%c] : !tile.shared<1x256xf32, #row, stages 2>, !tile.cursor<2>
          tile.bulk_load %x[%k, %c0] -> %slot on %full[%c] : !tile.view<?x256xf32> -> !tile.shared<1x256xf32, #row>, !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
          // expected-error @below {{kernel 'bytes': copies complete on mbarrier 'mute', but no tile.mbar_expect announces their bytes}}
          tile.bulk_load %x[%k, %c0] -> %slot on %mute[%c] : !tile.view<?x256xf32> -> !tile.shared<1x256xf32, #row>, !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
          %next = tile.advance %c : !tile.cursor<2>
          scf.yield %next : !tile.cursor<2>
        }
      }
    }
  }
  tile.return
}

// -----

#s = #tile.smem<sw128 64 64 2>
#acc = #tile.layout<acc 64>
tile.kernel @window(%n: i32) {
  %S = tile.alloc "s" : !tile.shared<64x64xbf16, #s>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.roles {
    tile.role "math" warps 4 (%i) {
      %p = tile.wgmma %S, %S : !tile.shared<64x64xbf16, #s>, !tile.shared<64x64xbf16, #s> -> !tile.pending<tensor<64x64xf32, #acc>>
      tile.wgmma_commit
      // Carried by a loop, the product is that of the last pass.
      %l = scf.for %k = %c0 to %n step %c1 iter_args(%a = %p) -> (!tile.pending<tensor<64x64xf32, #acc>>) : i32 {
        %q = tile.wgmma %S, %S, %a : !tile.shared<64x64xbf16, #s>, !tile.shared<64x64xbf16, #s>, !tile.pending<tensor<64x64xf32, #acc>> -> !tile.pending<tensor<64x64xf32, #acc>>
        tile.wgmma_commit
        tile.wgmma_wait 1
        scf.yield %q : !tile.pending<tensor<64x64xf32, #acc>>
      }
      // expected-error @below {{kernel 'window': tile.wgmma_wait 1 yields a product with 0 later commits; wait 0 or commit another group}}
      %r = tile.wgmma_wait 1 (%l : !tile.pending<tensor<64x64xf32, #acc>>) : tensor<64x64xf32, #acc>
      %o = tile.wgmma %S, %S : !tile.shared<64x64xbf16, #s>, !tile.shared<64x64xbf16, #s> -> !tile.pending<tensor<64x64xf32, #acc>>
      // expected-error @below {{kernel 'window': tile.wgmma_wait 0 yields a product that no tile.wgmma_commit has closed}}
      %t = tile.wgmma_wait 0 (%o : !tile.pending<tensor<64x64xf32, #acc>>) : tensor<64x64xf32, #acc>
    }
  }
  tile.return
}

// -----

// The wait leaves one group in flight, and the slot given back is the one that this group reads, not the one before.
#s = #tile.smem<sw128 64 64 2>
#acc = #tile.layout<acc 64>
tile.kernel @release(%tx: !tile.map<64x64xbf16, swizzle 128> {tile.describes = 1 : i64}, %x: !tile.view<?x512xbf16>, %n: i32) {
  %ring = tile.alloc "ring" : !tile.shared<64x64xbf16, #s, stages 4>
  %full = tile.mbar_alloc "full" : !tile.mbar<4, arrivals = 1>
  %empty = tile.mbar_alloc "empty" : !tile.mbar<4, arrivals = 4>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.roles {
    tile.role "load" warps 1 (%i) {
      %p = tile.cursor : !tile.cursor<4>
      tile.elect {
        %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %p) -> (!tile.cursor<4>) : i32 {
          tile.mbar_wait %empty[%c] producer : !tile.mbar<4, arrivals = 4>, !tile.cursor<4>
          tile.mbar_expect %full[%c] bytes 8192 : !tile.mbar<4, arrivals = 1>, !tile.cursor<4>
          %slot = tile.slot %ring[%c] : !tile.shared<64x64xbf16, #s, stages 4>, !tile.cursor<4>
          tile.map_load %tx[%k, %c0] -> %slot on %full[%c] : !tile.map<64x64xbf16, swizzle 128> -> !tile.shared<64x64xbf16, #s>, !tile.mbar<4, arrivals = 1>, !tile.cursor<4>
          %next = tile.advance %c : !tile.cursor<4>
          scf.yield %next : !tile.cursor<4>
        }
      }
    }
    tile.role "math" warps 4 (%i) {
      %p = tile.cursor : !tile.cursor<4>
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %p) -> (!tile.cursor<4>) : i32 {
        tile.mbar_wait %full[%c] : !tile.mbar<4, arrivals = 1>, !tile.cursor<4>
        %slot = tile.slot %ring[%c] : !tile.shared<64x64xbf16, #s, stages 4>, !tile.cursor<4>
        %q = tile.wgmma %slot, %slot : !tile.shared<64x64xbf16, #s>, !tile.shared<64x64xbf16, #s> -> !tile.pending<tensor<64x64xf32, #acc>>
        tile.wgmma_commit
        tile.wgmma_wait 1
        // expected-error-re @below {{kernel 'release': slot of 'ring' is released before the wait that retires its reader at check-barriers_errors.mlir:{{[0-9]+}}:14}}
        tile.mbar_arrive %empty[%c] : !tile.mbar<4, arrivals = 4>, !tile.cursor<4>
        %next = tile.advance %c : !tile.cursor<4>
        scf.yield %next : !tile.cursor<4>
      }
    }
  }
  tile.return
}
