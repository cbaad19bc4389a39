// What no op sees alone: one team behind every tile, one layout in every elementwise op, one user of a product in flight.
// RUN: k3-opt %s --split-input-file --verify-diagnostics

tile.kernel @k() {
  tile.roles {
    tile.role "r" instances 4 warps 1 (%i) {
      // expected-error@+1 {{has a tile spread over 4 warps in role 'r' of 1: 'tensor<1024xi32, #tile.layout<rows 8 1024 4>>'}}
      %t = tile.iota 0 : tensor<1024xi32, #tile.layout<rows 8 1024 4>>
    }
  }
  tile.return
}

// -----

tile.kernel @k() {
  tile.roles {
    tile.role "r" warps 1 (%i) {
      // expected-error@+1 {{has a tensor without a #tile.layout: 'tensor<4xf32>'}}
      %t = arith.constant dense<0.0> : tensor<4xf32>
    }
  }
  tile.return
}

// -----

#from = #tile.layout<rows 8 256 1>
#to = #tile.layout<rows 4 256 1>
tile.kernel @k() {
  tile.roles {
    tile.role "r" warps 1 (%i) {
      %t = arith.constant dense<0.0> : tensor<256xf32, #from>
      %n = arith.constant dense<3> : tensor<256xi32, #to>
      // expected-error@+1 {{works register by register and needs one layout, not #tile.layout<rows 8 256 1> and #tile.layout<rows 4 256 1>}}
      %u = math.fpowi %t, %n : tensor<256xf32, #from>, tensor<256xi32, #to>
    }
  }
  tile.return
}

// -----

tile.kernel @k() {
  tile.roles {
    tile.role "r" warps 1 (%i) {
      // expected-error@+1 {{a constant tile has one value everywhere}}
      %t = arith.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F"> : tensor<32xi8, #tile.layout<rows 1 32 1>>
    }
  }
  tile.return
}

// -----

#a = #tile.layout<wg_a 16>
#acc = #tile.layout<acc 8>
#b = #tile.smem<core8x8 8 16>
tile.kernel @k() {
  %B = tile.alloc "b" : !tile.shared<8x16xbf16, #b>
  tile.roles {
    tile.role "r" warps 4 (%i) {
      %a = arith.constant dense<1.0> : tensor<64x16xbf16, #a>
      // expected-error@+1 {{is in flight and has two users: its registers cannot be in two products}}
      %p = tile.wgmma %a, %B : tensor<64x16xbf16, #a>, !tile.shared<8x16xbf16, #b> -> !tile.pending<tensor<64x8xf32, #acc>>
      %q = tile.wgmma %a, %B, %p : tensor<64x16xbf16, #a>, !tile.shared<8x16xbf16, #b>, !tile.pending<tensor<64x8xf32, #acc>> -> !tile.pending<tensor<64x8xf32, #acc>>
      %r = tile.wgmma %a, %B, %p : tensor<64x16xbf16, #a>, !tile.shared<8x16xbf16, #b>, !tile.pending<tensor<64x8xf32, #acc>> -> !tile.pending<tensor<64x8xf32, #acc>>
    }
  }
  tile.return
}

// -----

#a = #tile.layout<wg_a 16>
#acc = #tile.layout<acc 8>
#b = #tile.smem<core8x8 8 16>
tile.kernel @k() {
  %B = tile.alloc "b" : !tile.shared<8x16xbf16, #b>
  tile.roles {
    tile.role "r" warps 4 (%i) {
      %a = arith.constant dense<1.0> : tensor<64x16xbf16, #a>
      %true = arith.constant true
      %p = tile.wgmma %a, %B : tensor<64x16xbf16, #a>, !tile.shared<8x16xbf16, #b> -> !tile.pending<tensor<64x8xf32, #acc>>
      %q = tile.wgmma %a, %B : tensor<64x16xbf16, #a>, !tile.shared<8x16xbf16, #b> -> !tile.pending<tensor<64x8xf32, #acc>>
      // expected-error@+1 {{uses a product in flight: only tile.wgmma (as accumulator) and tile.wgmma_wait may}}
      %s = arith.select %true, %p, %q : !tile.pending<tensor<64x8xf32, #acc>>
    }
  }
  tile.return
}
