// RUN: k3-opt %s --split-input-file --verify-diagnostics

#c = #tile.layout<mma_c 16>
func.func @f(%x: tensor<16x16xf32, #c>) {
  // expected-error@+1 {{changes the layout only, not shape or elements}}
  %0 = tile.convert %x via<relabel> : tensor<16x16xf32, #c> -> tensor<16x16xi32, #c>
  return
}

// -----

#c = #tile.layout<mma_c 16>
func.func @f(%x: tensor<16x16xf32, #c>) {
  // expected-error@+1 {{the way through shared memory needs a scratch}}
  %0 = tile.convert %x via<shared> : tensor<16x16xf32, #c> -> tensor<16x16xf32, #c>
  return
}

// -----

#c = #tile.layout<mma_c 16>
#s = #tile.smem<row_major 16 16 4>
func.func @f(%x: tensor<16x16xf32, #c>, %s: !tile.shared<16x16xf32, #s>) {
  // expected-error@+1 {{only the way through shared memory takes a scratch}}
  %0 = tile.convert %x via<relabel> scratch %s : !tile.shared<16x16xf32, #s> : tensor<16x16xf32, #c> -> tensor<16x16xf32, #c>
  return
}

// -----

#c = #tile.layout<mma_c 16>
#s = #tile.smem<row_major 16 32 4>
func.func @f(%x: tensor<16x16xf32, #c>, %s: !tile.shared<16x32xf32, #s>) {
  // expected-error@+1 {{the tile is [16, 16] of 'f32', the shared one [16, 32] of 'f32'}}
  %0 = tile.convert %x via<shared> scratch %s : !tile.shared<16x32xf32, #s> : tensor<16x16xf32, #c> -> tensor<16x16xf32, #c>
  return
}

// -----

#c = #tile.layout<mma_c 16>
#shuffled = #tile.layout<reg [[0, 1], [8, 0], [0, 8]] lane [[0, 4], [0, 2], [1, 0], [2, 0], [4, 0]]>
func.func @f(%x: tensor<16x16xf32, #c>) {
  // expected-error@+1 {{via relabel does not fill every register, or moves more than needed: the way is shuffle}}
  %0 = tile.convert %x via<relabel> : tensor<16x16xf32, #c> -> tensor<16x16xf32, #shuffled>
  return
}

// -----

#rows = #tile.layout<reg [[0, 1], [0, 2], [0, 4]] lane [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]] warp [[16, 0], [32, 0]]>
#turned = #tile.layout<reg [[0, 1], [0, 2], [0, 4]] lane [[0, 8], [1, 0], [2, 0], [4, 0], [32, 0]] warp [[8, 0], [16, 0]]>
func.func @f(%y: tensor<64x16xf32, #rows>) {
  // expected-error@+1 {{via shuffle does not fill every register, or moves more than needed: the way is shared}}
  %2 = tile.convert %y via<shuffle> : tensor<64x16xf32, #rows> -> tensor<64x16xf32, #turned>
  return
}

// -----

#c = #tile.layout<mma_c 16>
#two = #tile.layout<reg [[0, 1], [8, 0]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] warp [[0, 8]]>
func.func @f(%x: tensor<16x16xf32, #c>) {
  // expected-error@+1 {{warps}}
  %0 = tile.convert %x via<shuffle> : tensor<16x16xf32, #c> -> tensor<16x16xf32, #two>
  return
}
