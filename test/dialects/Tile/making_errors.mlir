// RUN: k3-opt %s --split-input-file --verify-diagnostics

#acc = #tile.layout<acc 32>
func.func @f(%x: f32) {
  // expected-error@+1 {{the tile holds 'bf16', the scalar is 'f32'}}
  %t = tile.splat %x : f32 -> tensor<64x32xbf16, #acc>
  return
}

// -----

#acc = #tile.layout<acc 32>
func.func @f() {
  // expected-error@+1 {{coordinates are i32, not 'f32'}}
  %t = tile.iota 0 : tensor<64x32xf32, #acc>
  return
}

// -----

#acc = #tile.layout<acc 32>
func.func @f() {
  // expected-error@+1 {{has no dimension 2, the tile has 2}}
  %t = tile.iota 2 : tensor<64x32xi32, #acc>
  return
}

// -----

#acc = #tile.layout<acc 32>
#r = #tile.layout<rows 2 64 1>
func.func @f(%r: tensor<64xbf16, #r>) {
  // expected-error@+1 {{adds one dimension to a tile, of the same elements; 'tensor<64xbf16, #tile.layout<rows 2 64 1>>' is not expanded to 'tensor<64x32xf32, #tile.layout<acc 32>>'}}
  %t = tile.expand %r dim 1 : tensor<64xbf16, #r> -> tensor<64x32xf32, #acc>
  return
}

// -----

#acc = #tile.layout<acc 32>
#r = #tile.layout<rows 2 64 1>
func.func @f(%r: tensor<64xf32, #r>) {
  // expected-error@+1 {{has no dimension -1, the tile has 2}}
  %t = tile.expand %r dim -1 : tensor<64xf32, #r> -> tensor<64x32xf32, #acc>
  return
}

// -----

#acc = #tile.layout<acc 32>
#r = #tile.layout<rows 2 64 1>
func.func @f(%r: tensor<64xf32, #r>) {
  // expected-error@+1 {{the operand needs the layout of the result reduced along dimension 1: #tile.layout<reg [[8]] lane [[0], [0], [1], [2], [4]] warp [[16], [32]]>}}
  %t = tile.expand %r dim 1 : tensor<64xf32, #r> -> tensor<64x32xf32, #acc>
  return
}

// -----

#acc = #tile.layout<acc 32>
#r = #tile.layout<rows 2 64 1>
func.func @f(%t: tensor<64x32xf32, #acc>) {
  // expected-error@+1 {{has 1 dimensions, the source 2}}
  %s = tile.slice %t dim 1 at 0 : tensor<64x32xf32, #acc> -> tensor<64xf32, #r>
  return
}

// -----

#acc = #tile.layout<acc 32>
func.func @f(%t: tensor<64x32xf32, #acc>) {
  // expected-error@+1 {{has no dimension 2, the tile has 2}}
  %s = tile.slice %t dim 2 at 0 : tensor<64x32xf32, #acc> -> tensor<64x32xf32, #acc>
  return
}

// -----

#acc = #tile.layout<acc 32>
#c = #tile.layout<mma_c 32>
func.func @f(%t: tensor<64x32xf32, #acc>) {
  // Rows 0 to 15 are those of warp 0.
  // expected-error@+1 {{slice [0, 16) of dimension 0 with 64 elements: basis [16, 0] of a lane or warp leaves the part}}
  %s = tile.slice %t dim 0 at 0 : tensor<64x32xf32, #acc> -> tensor<16x32xf32, #c>
  return
}

// -----

#acc = #tile.layout<acc 32>
#acc16 = #tile.layout<acc 16>
func.func @f(%t: tensor<64x32xf32, #acc>) {
  // expected-error@+1 {{slice [8, 24) of dimension 1 with 32 elements: a part starts at a multiple of its size}}
  %s = tile.slice %t dim 1 at 8 : tensor<64x32xf32, #acc> -> tensor<64x16xf32, #acc16>
  return
}

// -----

#acc = #tile.layout<acc 32>
#acc16 = #tile.layout<acc 16>
func.func @f(%t: tensor<64x32xf32, #acc>) {
  // expected-error@+1 {{keeps the elements, 'f32', not 'bf16'}}
  %s = tile.slice %t dim 1 at 16 : tensor<64x32xf32, #acc> -> tensor<64x16xbf16, #acc16>
  return
}

// -----

#acc = #tile.layout<acc 32>
#other = #tile.layout<reg [[0, 1], [0, 8], [8, 0]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] warp [[16, 0], [32, 0]]>
func.func @f(%t: tensor<64x32xf32, #acc>) {
  // expected-error@+1 {{the part has layout acc 16, the result reg [[0, 1], [0, 8], [8, 0]]}}
  %s = tile.slice %t dim 1 at 16 : tensor<64x32xf32, #acc> -> tensor<64x16xf32, #other>
  return
}

// -----

#acc = #tile.layout<acc 16>
func.func @f() {
  // expected-error@+1 {{joins at least one tile}}
  %s = "tile.concat"() <{dim = 0 : i64}> : () -> tensor<64x16xf32, #acc>
  return
}

// -----

#acc = #tile.layout<acc 16>
#acc8 = #tile.layout<acc 8>
#acc24 = #tile.layout<acc 24>
func.func @f(%a: tensor<64x16xf32, #acc>, %b: tensor<64x8xf32, #acc8>) {
  // expected-error@+1 {{joins tiles of one type}}
  %s = tile.concat %a, %b dim 1 : tensor<64x16xf32, #acc>, tensor<64x8xf32, #acc8> -> tensor<64x24xf32, #acc24>
  return
}

// -----

#acc = #tile.layout<acc 16>
func.func @f(%a: tensor<64x16xf32, #acc>) {
  // expected-error@+1 {{has no dimension 2, the tile has 2}}
  %s = tile.concat %a, %a dim 2 : tensor<64x16xf32, #acc>, tensor<64x16xf32, #acc> -> tensor<64x16xf32, #acc>
  return
}

// -----

#acc = #tile.layout<acc 16>
func.func @f(%a: tensor<64x16xf32, #acc>) {
  // expected-error@+1 {{the result is 'tensor<64x32xf32, #tile.layout<acc 32>>', not 'tensor<64x16xf32, #tile.layout<acc 16>>'}}
  %s = tile.concat %a, %a dim 1 : tensor<64x16xf32, #acc>, tensor<64x16xf32, #acc> -> tensor<64x16xf32, #acc>
  return
}

// -----

#r = #tile.layout<rows 2 64 1>
func.func @f(%a: tensor<64xf32, #r>) {
  // expected-error@+1 {{transposes two dimensions, the tile has 1}}
  %s = tile.trans %a : tensor<64xf32, #r> -> tensor<64xf32, #r>
  return
}

// -----

#c = #tile.layout<mma_c 16>
func.func @f(%a: tensor<16x16xf32, #c>) {
  // expected-error@+1 {{the result is 'tensor<16x16xf32, #tile.layout<reg [[1, 0], [0, 8], [8, 0]] lane [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>>', not}}
  %s = tile.trans %a : tensor<16x16xf32, #c> -> tensor<16x16xf32, #c>
  return
}

// -----

#c = #tile.layout<mma_c 16>
func.func @f(%a: tensor<16x16xf32, #c>) {
  // expected-error@+1 {{keeps shape, layout and width of the elements; 'tensor<16x16xf32, #tile.layout<mma_c 16>>' is not 'tensor<16x16xbf16, #tile.layout<mma_c 16>>'}}
  %s = tile.bitcast %a : tensor<16x16xf32, #c> -> tensor<16x16xbf16, #c>
  return
}

// -----

#c = #tile.layout<mma_c 16>
func.func @f(%a: tensor<16x16xbf16, #c>) {
  // expected-error@+1 {{is of f32, not 'tensor<16x16xbf16, #tile.layout<mma_c 16>>'}}
  %s = tile.rcp %a : tensor<16x16xbf16, #c>
  return
}
