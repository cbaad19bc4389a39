// RUN: k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-check-arguments))' -split-input-file -verify-diagnostics

#rows = #tile.layout<rows 4 256 2>
tile.kernel @early(%x: !tile.view<?x256xf32>, %y: !tile.view<?x256xf32> {tile.role = #tile.arg_role<step_out>}) {
  %c0 = arith.constant 0 : i32
  // expected-error @below {{kernel 'early': tile.pdl_launch before tile.pdl_wait, although tile.load at check-arguments_errors.mlir:11:12 touches more than constants before the wait}}
  tile.pdl_launch
  tile.roles {
    tile.role "use" warps 2 (%i) {
      // expected-error @below {{kernel 'early': argument 0 is step_in and read before tile.pdl_wait}}
      %v = tile.load %x[%c0, %c0] : !tile.view<?x256xf32> -> tensor<256xf32, #rows>
      tile.pdl_wait
      tile.store %v -> %y[%c0, %c0] : tensor<256xf32, #rows> -> !tile.view<?x256xf32>
    }
    tile.role "other" warps 2 (%i) {
      %v = arith.constant dense<1.0> : tensor<256xf32, #rows>
      // expected-error @below {{kernel 'early': argument 1 is step_out and written before tile.pdl_wait}}
      tile.store %v -> %y[%c0, %c0] : tensor<256xf32, #rows> -> !tile.view<?x256xf32>
    }
  }
  tile.return
}

// -----

// The first wait of a producer falls through, so it orders nothing.
#s = #tile.smem<sw128 64 64 2>
tile.kernel @producer(%tx: !tile.map<64x64xbf16, swizzle 128> {tile.describes = 1 : i64}, %x: !tile.view<?x512xbf16>, %n: i32) {
  %ring = tile.alloc "ring" : !tile.shared<64x64xbf16, #s, stages 2>
  %full = tile.mbar_alloc "full" : !tile.mbar<2, arrivals = 1>
  %empty = tile.mbar_alloc "empty" : !tile.mbar<2, arrivals = 2>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.roles {
    tile.role "load" warps 1 (%i) {
      %p = tile.cursor : !tile.cursor<2>
      tile.elect {
        %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %p) -> (!tile.cursor<2>) : i32 {
          tile.mbar_wait %empty[%c] producer : !tile.mbar<2, arrivals = 2>, !tile.cursor<2>
          tile.mbar_expect %full[%c] bytes 8192 : !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
          %slot = tile.slot %ring[%c] : !tile.shared<64x64xbf16, #s, stages 2>, !tile.cursor<2>
          // expected-error @below {{kernel 'producer': argument 1 is step_in and read before tile.pdl_wait}}
          tile.map_load %tx[%k, %c0] -> %slot on %full[%c] : !tile.map<64x64xbf16, swizzle 128> -> !tile.shared<64x64xbf16, #s>, !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
          %next = tile.advance %c : !tile.cursor<2>
          scf.yield %next : !tile.cursor<2>
        }
        tile.pdl_wait
      }
    }
  }
  tile.return
}

// -----

#rows = #tile.layout<rows 4 256 2>
// expected-error @below {{kernel 'roles': argument 2 is step_out, nothing writes it}}
tile.kernel @roles(%x: !tile.view<?x256xf32>, %w: !tile.view<256xf32> {tile.role = #tile.arg_role<constant>},
                   %y: !tile.view<?x256xf32> {tile.role = #tile.arg_role<step_out>}) {
  %c0 = arith.constant 0 : i32
  tile.roles {
    tile.role "use" warps 2 (%i) {
      %v = tile.load %x[%c0, %c0] : !tile.view<?x256xf32> -> tensor<256xf32, #rows>
      // expected-error @below {{kernel 'roles': argument 1 is constant, tile.store writes it}}
      tile.store %v -> %w[%c0] : tensor<256xf32, #rows> -> !tile.view<256xf32>
    }
  }
  tile.return
}

// -----

// expected-error @below {{kernel 'maps': argument 0 is constant, argument 1 that it maps is step_in}}
tile.kernel @maps(%tx: !tile.map<64x64xbf16, swizzle 128> {tile.describes = 1 : i64, tile.role = #tile.arg_role<constant>}, %x: !tile.view<?x512xbf16>) {
  tile.roles { tile.role "use" warps 2 (%i) {} }
  tile.return
}

// -----

tile.kernel @waits(%flag: !tile.view<16xi32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  tile.roles {
    tile.role "use" warps 2 (%i) {
      // expected-error @below {{kernel 'waits': tile.await needs 'resident', the number of CTAs that wait for each other}}
      tile.await %flag[%c0] ge %n : !tile.view<16xi32>
    }
  }
  tile.return
}
