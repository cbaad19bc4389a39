// RUN: k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-estimate-registers{verbose}))' -verify-diagnostics -o /dev/null

#big = #tile.layout<acc 256>
#rows = #tile.layout<rows 4 2048 4>

// Two accumulators of 128 registers are too many for 240.
tile.kernel @wide(%x: !tile.view<?x256xf32>) attributes {threads = 384 : i64} {
  %c0 = arith.constant 0 : i32
  tile.roles {
    tile.role "math" instances 2 warps 4 regs 240 (%i) {
      %a = tile.load %x[%c0, %c0] : !tile.view<?x256xf32> -> tensor<64x256xf32, #big>
      %b = tile.load %x[%c0, %c0] : !tile.view<?x256xf32> -> tensor<64x256xf32, #big>
      // expected-warning @below {{kernel 'wide': role 'math' has about 258 registers live here, its budget is 240}}
      %c = arith.addf %a, %b : tensor<64x256xf32, #big>
      tile.store %c -> %x[%c0, %c0] : tensor<64x256xf32, #big> -> !tile.view<?x256xf32>
    }
  }
  tile.return
}

// What only passes through a chain does not need all its registers at once: 128 for the tile, 8 for the other name.
tile.kernel @chain(%x: !tile.view<?x256xf32>) attributes {threads = 384 : i64} {
  %c0 = arith.constant 0 : i32
  tile.roles {
    tile.role "math" instances 2 warps 4 regs 240 (%i) {
      %a = tile.load %x[%c0, %c0] : !tile.view<?x256xf32> -> tensor<64x256xf32, #big>
      %b = arith.negf %a : tensor<64x256xf32, #big>
      // expected-remark @below {{kernel 'chain': role 'math' has about 138 of 240 registers live here}}
      %c = math.exp2 %a : tensor<64x256xf32, #big>
      %d = arith.mulf %c, %b : tensor<64x256xf32, #big>
      %e = arith.addf %d, %c : tensor<64x256xf32, #big>
      tile.store %e -> %x[%c0, %c0] : tensor<64x256xf32, #big> -> !tile.view<?x256xf32>
    }
  }
  tile.return
}

// A value from outside a loop lives through it: two tiles of 16, an address, the counter.
tile.kernel @loop(%x: !tile.view<?x2048xf32>, %n: i32) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.roles {
    tile.role "rows" warps 4 (%i) {
      %w = tile.load %x[%c0, %c0] : !tile.view<?x2048xf32> -> tensor<2048xf32, #rows>
      scf.for %k = %c0 to %n step %c1 : i32 {
        %v = tile.load %x[%k, %c0] : !tile.view<?x2048xf32> -> tensor<2048xf32, #rows>
        // expected-remark @below {{kernel 'loop': role 'rows' has about 35 of 255 registers live here}}
        %p = arith.mulf %v, %w : tensor<2048xf32, #rows>
        tile.store %p -> %x[%k, %c0] : tensor<2048xf32, #rows> -> !tile.view<?x2048xf32>
      }
    }
  }
  tile.return
}
