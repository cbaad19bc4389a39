// RUN: k3-opt %s --split-input-file --verify-diagnostics

#rows = #tile.layout<rows 8 256 1>
func.func @f(%v: tensor<256xf32, #rows>) {
  // expected-error@+1 {{has 1 tiles and 2 results, must be one for one}}
  %a, %b = tile.reduce<add> %v dim 0 : tensor<256xf32, #rows> -> f32, f32
  return
}

// -----

#rows = #tile.layout<rows 8 256 1>
func.func @f(%v: tensor<256xf32, #rows>, %w: tensor<256xi32, #rows>) {
  // expected-error@+1 {{reduces tiles of one type}}
  %a, %b = tile.reduce<add> %v, %w dim 0 : tensor<256xf32, #rows>, tensor<256xi32, #rows> -> f32, i32
  return
}

// -----

#rows = #tile.layout<rows 8 256 1>
func.func @f(%v: tensor<256xbf16, #rows>) {
  // expected-error@+1 {{reduces f32 or i32, not 'bf16'}}
  %a = tile.reduce<add> %v dim 0 : tensor<256xbf16, #rows> -> f32
  return
}

// -----

#rows = #tile.layout<rows 8 256 1>
func.func @f(%v: tensor<256xf32, #rows>) {
  // expected-error@+1 {{has no dimension 1, the tile has 1}}
  %a = tile.reduce<add> %v dim 1 : tensor<256xf32, #rows> -> f32
  return
}

// -----

#rows = #tile.layout<rows 8 256 1>
func.func @f(%v: tensor<256xf32, #rows>) {
  // expected-error@+1 {{the result is a scalar 'f32'}}
  %a = tile.reduce<add> %v dim 0 : tensor<256xf32, #rows> -> i32
  return
}

// -----

#acc = #tile.layout<acc 32>
#rows = #tile.layout<rows 2 64 1>
func.func @f(%x: tensor<64x32xf32, #acc>) {
  // expected-error@+1 {{the result is 'tensor<64xf32, #tile.layout<reg [[8]] lane [[0], [0], [1], [2], [4]] warp [[16], [32]]>>', not 'tensor<64xf32, #tile.layout<rows 2 64 1>>'}}
  %a = tile.reduce<add> %x dim 1 : tensor<64x32xf32, #acc> -> tensor<64xf32, #rows>
  return
}

// -----

#rows = #tile.layout<rows 8 1024 4>
func.func @f(%v: tensor<1024xf32, #rows>) {
  // expected-error@+1 {{dimension 0 runs across warps: say across<team>}}
  %a = tile.reduce<add> %v dim 0 : tensor<1024xf32, #rows> -> f32
  return
}

// -----

#rows = #tile.layout<rows 8 1024 4>
func.func @f(%v: tensor<1024xf32, #rows>) {
  // expected-error@+1 {{across warps needs a scratch buffer}}
  %a = tile.reduce<add> %v dim 0 across<team> : tensor<1024xf32, #rows> -> f32
  return
}

// -----

#rows = #tile.layout<rows 8 256 1>
#s = #tile.smem<row_major 1 1 4>
func.func @f(%v: tensor<256xf32, #rows>, %s: !tile.shared<1x1xf32, #s>) {
  // expected-error@+1 {{within lanes needs no scratch}}
  %a = tile.reduce<add> %v dim 0 scratch %s : !tile.shared<1x1xf32, #s> : tensor<256xf32, #rows> -> f32
  return
}

// -----

#rows = #tile.layout<rows 8 1024 4>
#s = #tile.smem<row_major 4 1 4>
func.func @f(%v: tensor<1024xf32, #rows>, %s: !tile.shared<4x1xf32, #s>) {
  // expected-error@+1 {{the scratch is '!tile.shared<4x2xf32, #tile.smem<row_major 4 2 4>>', not '!tile.shared<4x1xf32, #tile.smem<row_major 4 1 4>>'}}
  %a, %b = tile.reduce<add> %v, %v dim 0 across<team> scratch %s : !tile.shared<4x1xf32, #s> : tensor<1024xf32, #rows>, tensor<1024xf32, #rows> -> f32, f32
  return
}
