// RUN: k3-opt %s --split-input-file --verify-diagnostics

#acc = #tile.layout<acc 128>
#a = #tile.smem<bytes 2 bases [[2], [4], [8, 16]]>
#b = #tile.smem<sw128 128 64 2>
func.func @f(%a: !tile.shared<2x2x4xbf16, #a>, %b: !tile.shared<128x64xbf16, #b>) {
  // expected-error@+1 {{operands have two dimensions}}
  %p = tile.wgmma %a, %b : !tile.shared<2x2x4xbf16, #a>, !tile.shared<128x64xbf16, #b> -> !tile.pending<tensor<64x128xf32, #acc>>
  return
}

// -----

#acc = #tile.layout<acc 128>
#a = #tile.smem<sw128 64 64 2>
#b = #tile.smem<sw128 128 64 2>
func.func @f(%a: !tile.shared<64x64xf16, #a>, %b: !tile.shared<128x64xbf16, #b>) {
  // expected-error@+1 {{multiplies bf16 or f16, both operands alike, not 'f16' and 'bf16'}}
  %p = tile.wgmma %a, %b : !tile.shared<64x64xf16, #a>, !tile.shared<128x64xbf16, #b> -> !tile.pending<tensor<64x128xf32, #acc>>
  return
}

// -----

#acc = #tile.layout<acc 128>
#a = #tile.layout<wg_a 64>
#b = #tile.smem<sw128 128 64 2>
func.func @f(%a: tensor<64x64xbf16, #a>, %b: !tile.shared<128x64xbf16, #b>) {
  // expected-error@+1 {{trans_a is for an operand in shared memory}}
  %p = tile.wgmma %a trans_a, %b : tensor<64x64xbf16, #a>, !tile.shared<128x64xbf16, #b> -> !tile.pending<tensor<64x128xf32, #acc>>
  return
}

// -----

#acc = #tile.layout<acc 128>
#a = #tile.smem<sw128 64 128 2>
#b = #tile.smem<sw128 128 64 2>
func.func @f(%a: !tile.shared<64x128xbf16, #a>, %b: !tile.shared<128x64xbf16, #b>) {
  // expected-error@+1 {{k is 128 in A and 64 in B, must be the same multiple of 16}}
  %p = tile.wgmma %a, %b : !tile.shared<64x128xbf16, #a>, !tile.shared<128x64xbf16, #b> -> !tile.pending<tensor<64x128xf32, #acc>>
  return
}

// -----

#acc = #tile.layout<acc 128>
#a = #tile.smem<sw128 128 64 2>
func.func @f(%a: !tile.shared<128x64xbf16, #a>) {
  // expected-error@+1 {{is 128 rows by 128 columns, must be 64 by a multiple of 8 up to 256}}
  %p = tile.wgmma %a, %a : !tile.shared<128x64xbf16, #a>, !tile.shared<128x64xbf16, #a> -> !tile.pending<tensor<64x128xf32, #acc>>
  return
}

// -----

#acc = #tile.layout<acc 64>
#a = #tile.smem<sw128 64 64 2>
#b = #tile.smem<sw128 128 64 2>
func.func @f(%a: !tile.shared<64x64xbf16, #a>, %b: !tile.shared<128x64xbf16, #b>) {
  // expected-error@+1 {{the result is a pending 64 x 128 f32 tile of layout acc 128, not 'tensor<64x64xf32, #tile.layout<acc 64>>'}}
  %p = tile.wgmma %a, %b : !tile.shared<64x64xbf16, #a>, !tile.shared<128x64xbf16, #b> -> !tile.pending<tensor<64x64xf32, #acc>>
  return
}

// -----

#acc = #tile.layout<acc 64>
#a = #tile.smem<sw128 64 64 2>
func.func @f(%a: !tile.shared<64x64xbf16, #a>, %c: tensor<64x64xbf16, #acc>) {
  // expected-error@+1 {{the accumulator 'tensor<64x64xbf16, #tile.layout<acc 64>>' is another tile than the result 'tensor<64x64xf32, #tile.layout<acc 64>>'}}
  %p = tile.wgmma %a, %a, %c : !tile.shared<64x64xbf16, #a>, !tile.shared<64x64xbf16, #a>, tensor<64x64xbf16, #acc> -> !tile.pending<tensor<64x64xf32, #acc>>
  return
}

// -----

#acc = #tile.layout<acc 64>
#a = #tile.layout<reg [[0, 1], [0, 8], [8, 0], [0, 16], [0, 32]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] warp [[16, 0], [32, 0]]>
#b = #tile.smem<sw128 64 64 2>
func.func @f(%a: tensor<64x64xbf16, #a>, %b: !tile.shared<64x64xbf16, #b>) {
  // expected-error@+1 {{operand A in registers has layout wg_a 64, not #tile.layout<reg}}
  %p = tile.wgmma %a, %b : tensor<64x64xbf16, #a>, !tile.shared<64x64xbf16, #b> -> !tile.pending<tensor<64x64xf32, #acc>>
  return
}

// -----

#acc = #tile.layout<acc 64>
#a = #tile.smem<row_major 64 64 2>
#b = #tile.smem<sw128 64 64 2>
func.func @f(%a: !tile.shared<64x64xbf16, #a>, %b: !tile.shared<64x64xbf16, #b>) {
  // expected-error@+1 {{operand A: the shared layout has no wgmma descriptor: 128-byte swizzle, K-major would read row 1, k 0 at byte 144, the layout has it at 128}}
  %p = tile.wgmma %a, %b : !tile.shared<64x64xbf16, #a>, !tile.shared<64x64xbf16, #b> -> !tile.pending<tensor<64x64xf32, #acc>>
  return
}

// -----

#acc = #tile.layout<acc 64>
#a = #tile.smem<sw128 64 64 2>
#b = #tile.smem<row_major 64 64 2 144>
func.func @f(%a: !tile.shared<64x64xbf16, #a>, %b: !tile.shared<64x64xbf16, #b>) {
  // expected-error@+1 {{operand B: the shared layout has no wgmma descriptor}}
  %p = tile.wgmma %a, %b : !tile.shared<64x64xbf16, #a>, !tile.shared<64x64xbf16, #b> -> !tile.pending<tensor<64x64xf32, #acc>>
  return
}

// -----

#acc = #tile.layout<acc 64>
#a = #tile.smem<sw128 64 64 2>
func.func @f(%a: !tile.shared<64x64xbf16, #a>, %b: !tile.shared<64x64xbf16, #a, stages 2>) {
  // expected-error@+1 {{takes one stage of shared memory, not 2: pick one by tile.slot}}
  %p = tile.wgmma %a, %b : !tile.shared<64x64xbf16, #a>, !tile.shared<64x64xbf16, #a, stages 2> -> !tile.pending<tensor<64x64xf32, #acc>>
  return
}

// -----

// Eight rows, then a gap of eight bytes.
#acc = #tile.layout<acc 8>
#a = #tile.layout<wg_a 16>
#b = #tile.smem<core8x8 8 16>
#gaps = #tile.smem<bytes 2 bases [[16, 32, 64], [2, 4, 8, 128]] repeat [4 on 0 by 264]>
func.func @f(%a: tensor<64x16xbf16, #a>, %buffer: !tile.shared<32x16xbf16, #gaps>, %i: i32) {
  %b = tile.part %buffer[%i] dim 0 : !tile.shared<32x16xbf16, #gaps> -> !tile.shared<8x16xbf16, #b>
  // expected-error@+1 {{operand B: it starts at a multiple of 8 bytes, its descriptor needs 16}}
  %p = tile.wgmma %a, %b : tensor<64x16xbf16, #a>, !tile.shared<8x16xbf16, #b> -> !tile.pending<tensor<64x8xf32, #acc>>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{leaves 8 groups in flight, must be 0 to 7}}
  tile.wgmma_wait 8
  return
}

// -----

#acc = #tile.layout<acc 8>
func.func @f(%p: !tile.pending<tensor<64x8xf32, #acc>>) {
  // expected-error@+1 {{yields 0 tiles of 1 in flight}}
  tile.wgmma_wait 0 (%p : !tile.pending<tensor<64x8xf32, #acc>>)
  return
}

// -----

#acc = #tile.layout<acc 8>
#acc16 = #tile.layout<acc 16>
func.func @f(%p: !tile.pending<tensor<64x8xf32, #acc>>) {
  // expected-error@+1 {{yields 'tensor<64x16xf32, #tile.layout<acc 16>>' of '!tile.pending<tensor<64x8xf32, #tile.layout<acc 8>>>'}}
  %t = tile.wgmma_wait 0 (%p : !tile.pending<tensor<64x8xf32, #acc>>) : tensor<64x16xf32, #acc16>
  return
}
