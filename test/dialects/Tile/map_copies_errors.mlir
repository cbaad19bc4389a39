// RUN: k3-opt %s --split-input-file --verify-diagnostics

#t = #tile.smem<sw128 8 64 2>
func.func @f(%m: !tile.map<8x64xbf16, swizzle 128>, %s: !tile.shared<8x64xbf16, #t>, %i: i32) {
  // expected-error@+1 {{is issued by one lane: put it into tile.elect}}
  tile.map_store %s -> %m[%i, %i] : !tile.shared<8x64xbf16, #t> -> !tile.map<8x64xbf16, swizzle 128>
  return
}

// -----

#t = #tile.smem<sw128 8 64 2>
func.func @f(%m: !tile.map<8x64xbf16, swizzle 128>, %s: !tile.shared<8x64xbf16, #t>, %b: !tile.mbar<1, arrivals = 1>, %i: i32) {
  // expected-error@+1 {{is issued by one lane: put it into tile.elect}}
  tile.map_load %m[%i, %i] -> %s on %b[%i] : !tile.map<8x64xbf16, swizzle 128> -> !tile.shared<8x64xbf16, #t>, !tile.mbar<1, arrivals = 1>, i32
  return
}

// -----

#t = #tile.smem<sw128 8 64 2>
func.func @f(%m: !tile.map<8x64xbf16, swizzle 128>, %s: !tile.shared<8x64xbf16, #t>, %i: i32) {
  tile.elect {
    // expected-error@+1 {{has 1 coordinates, the array has 2 dimensions}}
    tile.map_store %s -> %m[%i] : !tile.shared<8x64xbf16, #t> -> !tile.map<8x64xbf16, swizzle 128>
  }
  return
}

// -----

#t = #tile.smem<sw128 8 64 2>
func.func @f(%m: !tile.map<8x64xbf16, swizzle 128>, %s: !tile.shared<8x64xbf16, #t>, %b: !tile.mbar<3, arrivals = 1>, %c: !tile.cursor<4>, %i: i32) {
  tile.elect {
    // expected-error@+1 {{the cursor runs over 4 slots, the barrier has 3}}
    tile.map_load %m[%i, %i] -> %s on %b[%c] : !tile.map<8x64xbf16, swizzle 128> -> !tile.shared<8x64xbf16, #t>, !tile.mbar<3, arrivals = 1>, !tile.cursor<4>
  }
  return
}

// -----

#t = #tile.smem<sw128 8 64 2>
tile.kernel @k(%m: !tile.map<8x64xbf16, swizzle 128> {tile.describes = 1 : i64}, %x: !tile.view<?x64xbf16>, %i: i32) {
  %s = tile.alloc "s" : !tile.shared<8x64xbf16, #t>
  %b = tile.mbar_alloc "b" : !tile.mbar<1, arrivals = 1>
  tile.roles {
    tile.role "r" warps 1 (%r) {
      tile.elect {
        // expected-error@+1 {{multicast reaches the CTAs of a cluster, the kernel has none}}
        tile.map_load %m[%i, %i] -> %s on %b[%i] multicast %i : !tile.map<8x64xbf16, swizzle 128> -> !tile.shared<8x64xbf16, #t>, !tile.mbar<1, arrivals = 1>, i32
      }
    }
  }
  tile.return
}

// -----

#t = #tile.smem<sw128 8 64 2>
func.func @f(%m: !tile.map<8x64xbf16, swizzle 128>, %s: !tile.shared<8x64xbf16, #t, stages 2>, %i: i32) {
  tile.elect {
    // expected-error@+1 {{takes one stage of shared memory, not 2: pick one by tile.slot}}
    tile.map_store %s -> %m[%i, %i] : !tile.shared<8x64xbf16, #t, stages 2> -> !tile.map<8x64xbf16, swizzle 128>
  }
  return
}

// -----

#t = #tile.smem<sw128 16 64 2>
func.func @f(%m: !tile.map<8x64xbf16, swizzle 128>, %s: !tile.shared<16x64xbf16, #t>, %i: i32) {
  tile.elect {
    // expected-error@+1 {{the box is [8, 64], the shared tile [16, 64]}}
    tile.map_store %s -> %m[%i, %i] : !tile.shared<16x64xbf16, #t> -> !tile.map<8x64xbf16, swizzle 128>
  }
  return
}

// -----

#t = #tile.smem<sw128 8 64 2>
func.func @f(%m: !tile.map<8x64xbf16, swizzle 128>, %s: !tile.shared<8x64xf16, #t>, %i: i32) {
  tile.elect {
    // expected-error@+1 {{the map holds 'bf16', the shared tile 'f16'}}
    tile.map_store %s -> %m[%i, %i] : !tile.shared<8x64xf16, #t> -> !tile.map<8x64xbf16, swizzle 128>
  }
  return
}

// -----

#t = #tile.smem<sw64 8 32 2>
func.func @f(%m: !tile.map<8x32xbf16, swizzle 128>, %s: !tile.shared<8x32xbf16, #t>, %i: i32) {
  tile.elect {
    // expected-error@+1 {{a row of the box has 64 bytes, a swizzle of 128 needs as many}}
    tile.map_store %s -> %m[%i, %i] : !tile.shared<8x32xbf16, #t> -> !tile.map<8x32xbf16, swizzle 128>
  }
  return
}

// -----

#t = #tile.smem<row_major 8 64 2>
func.func @f(%m: !tile.map<8x64xbf16, swizzle 128>, %s: !tile.shared<8x64xbf16, #t>, %i: i32) {
  tile.elect {
    // expected-error@+1 {{the shared tile starts at a multiple of 128 bytes, the copy needs 1024}}
    tile.map_store %s -> %m[%i, %i] : !tile.shared<8x64xbf16, #t> -> !tile.map<8x64xbf16, swizzle 128>
  }
  return
}

// -----

#t = #tile.smem<sw128 8 64 2>
func.func @f(%m: !tile.map<8x64xbf16>, %s: !tile.shared<8x64xbf16, #t>, %i: i32) {
  tile.elect {
    // expected-error@+1 {{the copy has element [1, 0] at byte 128, the layout at byte 144}}
    tile.map_store %s -> %m[%i, %i] : !tile.shared<8x64xbf16, #t> -> !tile.map<8x64xbf16>
  }
  return
}

// -----

// expected-error@+1 {{a tensor map has 1 to 5 dimensions and elements of 8, 16, 32 or 64 bits}}
func.func private @f(!tile.map<1x1x1x1x1x64xbf16>)

// -----

// expected-error@+1 {{a box has extents from 1 to 256, not [512, 64]}}
func.func private @f(!tile.map<512x64xbf16>)

// -----

// expected-error@+1 {{swizzle is 0, 32, 64 or 128 bytes, not 16}}
func.func private @f(!tile.map<8x64xbf16, swizzle 16>)

// -----

// expected-error@+1 {{the innermost extent of a box is a multiple of 16 bytes and with a swizzle at most as wide, not 256}}
func.func private @f(!tile.map<8x128xbf16, swizzle 128>)
