// RUN: k3-opt %s --split-input-file --verify-diagnostics

#a = #tile.layout<mma_a 16>
#s = #tile.smem<row_major 16 32 2>
func.func @f(%s: !tile.shared<16x32xbf16, #s>) {
  // expected-error@+1 {{the tile is [16, 16] of 'bf16', the shared one [16, 32] of 'bf16'}}
  %t = tile.load_shared %s : !tile.shared<16x32xbf16, #s> -> tensor<16x16xbf16, #a>
  return
}

// -----

#a = #tile.layout<mma_a 16>
#s = #tile.smem<row_major 16 16 2>
func.func @f(%t: tensor<16x16xf16, #a>, %s: !tile.shared<16x16xbf16, #s>) {
  // expected-error@+1 {{the tile is [16, 16] of 'f16', the shared one [16, 16] of 'bf16'}}
  tile.store_shared %t -> %s : tensor<16x16xf16, #a> -> !tile.shared<16x16xbf16, #s>
  return
}

// -----

#a = #tile.layout<mma_a 16>
#s = #tile.smem<row_major 16 16 2>
func.func @f(%t: tensor<16x16xbf16, #a>, %s: !tile.shared<16x16xbf16, #s, stages 2>) {
  // expected-error@+1 {{takes one stage of shared memory, not 2: pick one by tile.slot}}
  tile.stmatrix %t -> %s : tensor<16x16xbf16, #a> -> !tile.shared<16x16xbf16, #s, stages 2>
  return
}

// -----

// Three rows, then a gap: four rows of lanes cross it at different places.
#t = #tile.layout<reg [[0, 1]] lane [[1, 0], [2, 0], [0, 2], [0, 4], [0, 8]] repeat [reg 3 on 0]>
#s = #tile.smem<bytes 2 bases [[], [2, 4, 8, 16]] repeat [3 on 0 by 32, 4 on 0 by 128]>
func.func @f(%s: !tile.shared<12x16xbf16, #s>) {
  // expected-error@+1 {{register 4 of lane 1, warp 0 lies at byte 384, constants of lane, warp and register give 352}}
  %t = tile.load_shared %s : !tile.shared<12x16xbf16, #s> -> tensor<12x16xbf16, #t>
  return
}

// -----

#a = #tile.layout<mma_a 16>
#s = #tile.smem<row_major 16 16 4>
func.func @f(%s: !tile.shared<16x16xf32, #s>) {
  // expected-error@+1 {{ldmatrix and stmatrix move 16-bit elements, the buffer has 4 B ones}}
  %t = tile.ldmatrix %s : !tile.shared<16x16xf32, #s> -> tensor<16x16xf32, #a>
  return
}

// -----

#a = #tile.layout<reg [[0, 1], [8, 0], [0, 8]] lane [[0, 4], [0, 2], [1, 0], [2, 0], [4, 0]]>
#s = #tile.smem<row_major 16 16 2>
func.func @f(%s: !tile.shared<16x16xbf16, #s>) {
  // expected-error@+1 {{lane 1 would access byte 4, the register layout asks for byte 8}}
  %t = tile.ldmatrix %s : !tile.shared<16x16xbf16, #s> -> tensor<16x16xbf16, #a>
  return
}

// -----

#a = #tile.layout<mma_a 16>
#s = #tile.smem<row_major 16 16 2 40>
func.func @f(%s: !tile.shared<16x16xbf16, #s>) {
  // expected-error@+1 {{row 1 of an 8x8 matrix would start at byte 40, no multiple of 16}}
  %t = tile.ldmatrix %s : !tile.shared<16x16xbf16, #s> -> tensor<16x16xbf16, #a>
  return
}

// -----

#a = #tile.layout<mma_c 8>
#big = #tile.smem<row_major 16 12 2 32>
#s = #tile.smem<row_major 16 4 2 32>
#t = #tile.layout<reg [[0, 1], [8, 0]] lane [[0, 2], [1, 0], [2, 0], [4, 0], [0, 0]]>
func.func @f(%b: !tile.shared<16x12xbf16, #big>, %i: i32) {
  %s = tile.part %b[%i] dim 1 : !tile.shared<16x12xbf16, #big> -> !tile.shared<16x4xbf16, #s>
  // expected-error@+1 {{the shared tile starts at a multiple of 8 bytes, a row of a matrix needs 16}}
  %t = tile.ldmatrix %s : !tile.shared<16x4xbf16, #s> -> tensor<16x4xbf16, #t>
  return
}
