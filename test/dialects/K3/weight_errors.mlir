// RUN: k3-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{family of 16 members needs '{e}' in the name pattern}}
k3.weight @w[16] : tensor<4x8xf32> from "experts.w1"

// -----

// expected-error@+1 {{name pattern with '{e}' needs a family, write @w[members]}}
k3.weight @w : tensor<4x8xf32> from "experts.{e}.w1"

// -----

// expected-error@+1 {{used 9 exceeds dimension 0 (8)}}
k3.weight @w : tensor<8xf32> from "w" used 9

// -----

// expected-error@+1 {{used 0 must be between 1 and dimension 0}}
k3.weight @w : tensor<8xf32> from "w" used 0

// -----

// expected-error@+1 {{number of members must be positive, got 0}}
k3.weight @w[0] : tensor<8xf32> from "w.{e}"

// -----

// expected-error@+1 {{needs a static tensor or an MX tensor, got 'tensor<?x8xf32>'}}
k3.weight @w : tensor<?x8xf32> from "w"

// -----

// expected-error@+1 {{elements are f32, bf16, f16 or i8, got 'i32'}}
k3.weight @w : tensor<8xi32> from "w"

// -----

// expected-error@+1 {{mx tensor: last dimension 100 is not a multiple of block 32}}
k3.weight @w : !k3.mx<64x100, e2m1> from "w"

// -----

// expected-error@+1 {{unknown MX element 'e9m9', expected e2m1, e2m3, e3m2, e4m3 or e5m2}}
k3.weight @w : !k3.mx<64x128, e9m9> from "w"

// -----

module attributes {k3.mesh = #k3.mesh<pp = 1, dp = 1, tp = 3, ep = 1, cp = 1>} {
  // expected-error@+1 {{dimension 0 (256) is not divisible by tp = 3}}
  k3.weight @w : tensor<256x192xbf16> from "w" shard <[["tp"], []]>
}

// -----

module attributes {k3.mesh = #k3.mesh<pp = 1, dp = 1, tp = 8, ep = 1, cp = 1>} {
  // expected-error@+1 {{dimension 128 cut by tp = 8 leaves 16, not a multiple of the MX block 32}}
  k3.weight @w : !k3.mx<64x128, e2m1> from "w" shard <[[], ["tp"]]>
}

// -----

// expected-error@+1 {{axis 'x' is not in the mesh}}
k3.weight @w : tensor<256x192xbf16> from "w" shard <[["x"], []]>

// -----

// expected-error@+1 {{shard names 1 dimensions, the type has 2}}
k3.weight @w : tensor<256x192xbf16> from "w" shard <[["tp"]]>

// -----

// expected-error@+1 {{shard names axis "tp" twice}}
k3.weight @w : tensor<256x192xbf16> from "w" shard <[["tp"], ["tp"]]>
