// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: !tile.view<?x256xbf16>, %i: i64) {
  // expected-error@+1 {{changes the leading stride only, not extents or elements}}
  %y = tile.strided %x, %i : !tile.view<?x256xbf16>, i64 -> !tile.view<?x128xbf16, strides [?, 1]>
  return
}

// -----

func.func @f(%x: !tile.view<?x256xbf16>, %i: i64) {
  // expected-error@+1 {{the leading stride of the result is '?', all others are those of the source}}
  %y = tile.strided %x, %i : !tile.view<?x256xbf16>, i64 -> !tile.view<?x256xbf16, strides [512, 1]>
  return
}

// -----

// expected-error@+1 {{a view has at least one dimension and elements of 8, 16, 32 or 64 bits}}
func.func private @f(!tile.view<8xi1>)

// -----

// expected-error@+1 {{strides has one number per dimension, the last is 1}}
func.func private @f(!tile.view<8x8xf32, strides [8, 2]>)

// -----

// expected-error@+1 {{only dimension 0 of a dense view may be unknown; name the strides}}
func.func private @f(!tile.view<8x?xf32>)

// -----

#rows = #tile.layout<rows 8 256 1>
func.func @f(%x: !tile.view<?x256xbf16>, %i: i32) {
  // expected-error@+1 {{has 1 coordinates, the array has 2 dimensions}}
  %v = tile.load %x[%i] : !tile.view<?x256xbf16> -> tensor<256xbf16, #rows>
  return
}

// -----

#acc = #tile.layout<acc 16>
func.func @f(%x: !tile.view<256xbf16>, %i: i32) {
  // expected-error@+1 {{the tile has 2 dimensions, the view only 1}}
  %v = tile.load %x[%i] : !tile.view<256xbf16> -> tensor<64x16xbf16, #acc>
  return
}

// -----

#rows = #tile.layout<rows 8 256 1>
func.func @f(%x: !tile.view<?x256xbf16>, %i: i32) {
  // expected-error@+1 {{the tile holds 'f32', the view 'bf16'}}
  %v = tile.load %x[%i, %i] : !tile.view<?x256xbf16> -> tensor<256xf32, #rows>
  return
}

// -----

#rows = #tile.layout<rows 8 256 1>
func.func @f(%x: !tile.view<?x256xbf16>, %v: tensor<256xbf16, #rows>, %i: i32) {
  // expected-error@+1 {{has 2 limits, one for each of the tile's 1 dimensions is needed}}
  tile.store %v -> %x[%i, %i] limit [%i, %i] : tensor<256xbf16, #rows> -> !tile.view<?x256xbf16>
  return
}

// -----

#rows = #tile.layout<rows 8 256 1>
func.func @f(%x: !tile.view<?x200xbf16>, %i: i32) {
  // expected-error@+1 {{moves 256 elements along dimension 0 of the tile, the view has 200: say the limit}}
  %v = tile.load %x[%i, %i] : !tile.view<?x200xbf16> -> tensor<256xbf16, #rows>
  return
}

// -----

#rows = #tile.layout<rows 8 256 1>
func.func @f(%x: !tile.view<?x256xbf16>, %v: tensor<256xbf16, #rows>, %i: i32) {
  // expected-error@+1 {{cache read_only is for loads}}
  tile.store %v -> %x[%i, %i] cache <read_only> : tensor<256xbf16, #rows> -> !tile.view<?x256xbf16>
  return
}

// -----

#acc = #tile.layout<acc 16>
#rows = #tile.layout<rows 2 64 1>
func.func @f(%x: !tile.view<256xbf16>, %r: tensor<64xi32, #rows>, %i: i32) {
  // expected-error@+1 {{picks rows: view and result have two dimensions, the index tile has one}}
  %v = tile.gather_load %x[%r, %i] : !tile.view<256xbf16>, tensor<64xi32, #rows> -> tensor<64x16xbf16, #acc>
  return
}

// -----

#acc = #tile.layout<acc 16>
#rows = #tile.layout<rows 2 64 1>
func.func @f(%x: !tile.view<?x256xbf16>, %r: tensor<64xf32, #rows>, %i: i32) {
  // expected-error@+1 {{the result holds what the view does, 'bf16', and the index tile i32}}
  %v = tile.gather_load %x[%r, %i] : !tile.view<?x256xbf16>, tensor<64xf32, #rows> -> tensor<64x16xbf16, #acc>
  return
}

// -----

#acc = #tile.layout<acc 16>
#rows = #tile.layout<rows 2 64 1>
func.func @f(%x: !tile.view<?x8xbf16>, %r: tensor<64xi32, #rows>, %i: i32) {
  // expected-error@+1 {{the result has 16 columns, the view 8}}
  %v = tile.gather_load %x[%r, %i] : !tile.view<?x8xbf16>, tensor<64xi32, #rows> -> tensor<64x16xbf16, #acc>
  return
}

// -----

#acc = #tile.layout<acc 16>
#rows = #tile.layout<rows 2 64 1>
func.func @f(%x: !tile.view<?x256xbf16>, %r: tensor<64xi32, #rows>, %i: i32) {
  // expected-error@+1 {{the index tile needs the layout of the result reduced along dimension 1: #tile.layout<reg [[8]] lane [[0], [0], [1], [2], [4]] warp [[16], [32]]>}}
  %v = tile.gather_load %x[%r, %i] : !tile.view<?x256xbf16>, tensor<64xi32, #rows> -> tensor<64x16xbf16, #acc>
  return
}
