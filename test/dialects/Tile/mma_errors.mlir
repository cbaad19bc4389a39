// RUN: k3-opt %s --split-input-file --verify-diagnostics

#a = #tile.layout<mma_a 16>
#b = #tile.layout<mma_b 16>
#c = #tile.layout<mma_c 8>
func.func @f(%a: tensor<16x16xf16, #a>, %b: tensor<8x16xbf16, #b>, %c: tensor<16x8xf32, #c>) {
  // expected-error@+1 {{multiplies bf16 or f16, both operands alike, into f32, not 'f16' and 'bf16' into 'f32'}}
  %d = tile.mma %a, %b, %c : tensor<16x16xf16, #a>, tensor<8x16xbf16, #b> -> tensor<16x8xf32, #c>
  return
}

// -----

#a = #tile.layout<rows 2 64 1>
#b = #tile.layout<mma_b 16>
#c = #tile.layout<mma_c 8>
func.func @f(%a: tensor<64xbf16, #a>, %b: tensor<8x16xbf16, #b>, %c: tensor<16x8xf32, #c>) {
  // expected-error@+1 {{operands have two dimensions}}
  %d = tile.mma %a, %b, %c : tensor<64xbf16, #a>, tensor<8x16xbf16, #b> -> tensor<16x8xf32, #c>
  return
}

// -----

#a = #tile.layout<mma_a 32>
#b = #tile.layout<mma_b 16>
#c = #tile.layout<mma_c 8>
func.func @f(%a: tensor<16x32xbf16, #a>, %b: tensor<8x16xbf16, #b>, %c: tensor<16x8xf32, #c>) {
  // expected-error@+1 {{a [m, k] is [16, 32], b [n, k] is [8, 16], c [m, n] is [16, 8]}}
  %d = tile.mma %a, %b, %c : tensor<16x32xbf16, #a>, tensor<8x16xbf16, #b> -> tensor<16x8xf32, #c>
  return
}

// -----

#a = #tile.layout<mma_a 8>
#b = #tile.layout<mma_b 8>
#c = #tile.layout<mma_c 8>
func.func @f(%a: tensor<16x8xbf16, #a>, %b: tensor<8x8xbf16, #b>, %c: tensor<16x8xf32, #c>) {
  // expected-error@+1 {{m, n, k are 16, 8, 8, must be multiples of 16, 8, 16}}
  %d = tile.mma %a, %b, %c : tensor<16x8xbf16, #a>, tensor<8x8xbf16, #b> -> tensor<16x8xf32, #c>
  return
}

// -----

// Every warp would hold a part of the sum, and c would claim that all of them hold the same.
#a = #tile.layout<mx_a 2>
#b = #tile.layout<mx_b 2>
#c = #tile.layout<reg [[0, 1], [8, 0], [16, 0]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] warp [[0, 0]]>
func.func @f(%a: tensor<32x64xbf16, #a>, %b: tensor<8x64xbf16, #b>, %c: tensor<32x8xf32, #c>) {
  // expected-error@+1 {{k runs across warps in a (warp 1 starts at k 32): give each warp a tile of its own and add them by tile.reduce}}
  %d = tile.mma %a, %b, %c : tensor<32x64xbf16, #a>, tensor<8x64xbf16, #b> -> tensor<32x8xf32, #c>
  return
}

// -----

#a = #tile.layout<reg [[0, 1], [8, 0], [0, 8], [0, 16]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] warp [[0, 0]]>
#b = #tile.layout<reg [[0, 1], [0, 8]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] warp [[0, 16]]>
#c = #tile.layout<reg [[0, 1], [8, 0]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] warp [[0, 0]]>
func.func @f(%a: tensor<16x32xbf16, #a>, %b: tensor<8x32xbf16, #b>, %c: tensor<16x8xf32, #c>) {
  // expected-error@+1 {{k runs across warps in b (warp 1 starts at k 16)}}
  %d = tile.mma %a, %b, %c : tensor<16x32xbf16, #a>, tensor<8x32xbf16, #b> -> tensor<16x8xf32, #c>
  return
}

// -----

#a = #tile.layout<reg [[0, 1], [8, 0], [0, 2]] lane [[0, 8], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #tile.layout<mma_b 16>
#c = #tile.layout<mma_c 8>
func.func @f(%a: tensor<16x16xbf16, #a>, %b: tensor<8x16xbf16, #b>, %c: tensor<16x8xf32, #c>) {
  // expected-error@+1 {{mma: k-slot 0 (lane bit 0) is 8 in A and 2 in B}}
  %d = tile.mma %a, %b, %c : tensor<16x16xbf16, #a>, tensor<8x16xbf16, #b> -> tensor<16x8xf32, #c>
  return
}
