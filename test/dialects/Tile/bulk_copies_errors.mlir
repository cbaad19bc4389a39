// RUN: k3-opt %s --split-input-file --verify-diagnostics

#t = #tile.smem<row_major 1 64 2>
func.func @f(%x: !tile.view<?x64xbf16>, %s: !tile.shared<1x64xbf16, #t>, %i: i32) {
  // expected-error@+1 {{is issued by one lane: put it into tile.elect}}
  tile.bulk_store %s -> %x[%i, %i] : !tile.shared<1x64xbf16, #t> -> !tile.view<?x64xbf16>
  return
}

// -----

tile.kernel @k() {
  tile.roles {
    tile.role "r" warps 1 (%i) {
      // expected-error@+1 {{is issued by one lane: put it into tile.elect}}
      tile.bulk_commit
    }
  }
  tile.return
}

// -----

func.func @f() {
  // expected-error@+1 {{is issued by one lane: put it into tile.elect}}
  tile.bulk_wait 0
  return
}

// -----

func.func @f() {
  tile.elect {
    // expected-error@+1 {{waits until at most -1 groups are left}}
    tile.bulk_wait -1
  }
  return
}

// -----

#t = #tile.smem<row_major 1 4 2>
func.func @f(%x: !tile.view<?x64xbf16>, %s: !tile.shared<1x4xbf16, #t>, %i: i32) {
  tile.elect {
    // expected-error@+1 {{moves 8 bytes, which is no multiple of 16}}
    tile.bulk_store %s -> %x[%i, %i] : !tile.shared<1x4xbf16, #t> -> !tile.view<?x64xbf16>
  }
  return
}

// -----

#t = #tile.smem<row_major 2 64 2 144>
func.func @f(%x: !tile.view<?x64xbf16>, %s: !tile.shared<2x64xbf16, #t>, %i: i32) {
  tile.elect {
    // expected-error@+1 {{moves contiguous bytes, the shared layout has element [1, 0] at byte 144 instead of 128}}
    tile.bulk_store %s -> %x[%i, %i] : !tile.shared<2x64xbf16, #t> -> !tile.view<?x64xbf16>
  }
  return
}

// -----

#t = #tile.smem<row_major 2 64 2>
func.func @f(%x: !tile.view<?x128xbf16>, %s: !tile.shared<2x64xbf16, #t>, %b: !tile.mbar<1, arrivals = 1>, %i: i32) {
  tile.elect {
    // expected-error@+1 {{moves contiguous bytes, the view is not dense along dimension 0}}
    tile.bulk_load %x[%i, %i] -> %s on %b[%i] : !tile.view<?x128xbf16> -> !tile.shared<2x64xbf16, #t>, !tile.mbar<1, arrivals = 1>, i32
  }
  return
}

// -----

#big = #tile.smem<row_major 4 12 2>
#t = #tile.smem<row_major 1 8 2>
#row = #tile.smem<row_major 1 12 2>
func.func @f(%x: !tile.view<?x64xbf16>, %s: !tile.shared<4x12xbf16, #big>, %i: i32) {
  %p = tile.part %s[%i] dim 0 : !tile.shared<4x12xbf16, #big> -> !tile.shared<1x12xbf16, #row>
  %q = tile.part %p[%i] dim 1 : !tile.shared<1x12xbf16, #row> -> !tile.shared<1x4xbf16, #tile.smem<row_major 1 4 2>>
  // expected-error@+1 {{the result starts at a multiple of 8 bytes, its layout needs 16}}
  %a = tile.alias %p : !tile.shared<1x12xbf16, #row> -> !tile.shared<1x8xbf16, #t>
  return
}

// -----

#big = #tile.smem<row_major 4 8 2 24>
#row = #tile.smem<row_major 1 8 2>
func.func @f(%x: !tile.view<?x64xbf16>, %s: !tile.shared<4x8xbf16, #big>, %i: i32) {
  %p = tile.part %s[%i] dim 0 : !tile.shared<4x8xbf16, #big> -> !tile.shared<1x8xbf16, #row>
  tile.elect {
    // expected-error@+1 {{the shared tile starts at a multiple of 8 bytes, the copy needs 16}}
    tile.bulk_store %p -> %x[%i, %i] : !tile.shared<1x8xbf16, #row> -> !tile.view<?x64xbf16>
  }
  return
}

// -----

#t = #tile.smem<row_major 1 8 2>
func.func @f(%x: !tile.view<?x12xbf16>, %s: !tile.shared<1x8xbf16, #t>, %i: i32) {
  %0 = arith.constant 0 : i32
  tile.elect {
    // expected-error@+1 {{neighbours along dimension 0 of the view are 24 bytes apart, which is no multiple of 16}}
    tile.bulk_store %s -> %x[%i, %0] : !tile.shared<1x8xbf16, #t> -> !tile.view<?x12xbf16>
  }
  return
}

// -----

#t = #tile.smem<row_major 1 8 2>
func.func @f(%x: !tile.view<?x64xbf16>, %s: !tile.shared<1x8xbf16, #t>, %i: i32) {
  %4 = arith.constant 4 : i32
  tile.elect {
    // expected-error@+1 {{starts 8 bytes into dimension 1 of the view, which is no multiple of 16}}
    tile.bulk_store %s -> %x[%i, %4] : !tile.shared<1x8xbf16, #t> -> !tile.view<?x64xbf16>
  }
  return
}

// -----

#t = #tile.smem<row_major 1 128 2>
func.func @f(%x: !tile.view<?x64xbf16>, %s: !tile.shared<1x128xbf16, #t>, %i: i32) {
  tile.elect {
    // expected-error@+1 {{moves 128 elements along dimension 1 of the tile, the view has 64}}
    tile.bulk_store %s -> %x[%i, %i] : !tile.shared<1x128xbf16, #t> -> !tile.view<?x64xbf16>
  }
  return
}

// -----

#t = #tile.smem<row_major 1 64 2>
func.func @f(%x: !tile.view<?x64xbf16>, %s: !tile.shared<1x64xbf16, #t>, %b: !tile.mbar<3, arrivals = 1>, %c: !tile.cursor<2>, %i: i32) {
  tile.elect {
    // expected-error@+1 {{the cursor runs over 2 slots, the barrier has 3}}
    tile.bulk_load %x[%i, %i] -> %s on %b[%c] : !tile.view<?x64xbf16> -> !tile.shared<1x64xbf16, #t>, !tile.mbar<3, arrivals = 1>, !tile.cursor<2>
  }
  return
}

// -----

func.func @f(%x: !tile.view<?x64xbf16>, %i: i32) {
  tile.elect {
    // expected-error@+1 {{moves 8 bytes, which is no multiple of 16}}
    tile.bulk_prefetch %x[%i, %i] bytes 8 : !tile.view<?x64xbf16>
  }
  return
}

// -----

func.func @f(%x: !tile.view<?x64xbf16>, %i: i32) {
  tile.elect {
    // expected-error@+1 {{has 1 coordinates, the view has 2 dimensions}}
    tile.bulk_prefetch %x[%i] bytes 128 : !tile.view<?x64xbf16>
  }
  return
}
