// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @f() {
  // expected-error@+1 {{stands in the prologue of a kernel}}
  %a = tile.alloc "a" : !tile.shared<8x64xbf16, #tile.smem<row_major 8 64 2>>
  return
}

// -----

tile.kernel @k() {
  // expected-error@+1 {{offset 64 is no multiple of 1024}}
  %a = tile.alloc "a" {offset = 64 : i64} : !tile.shared<8x64xbf16, #tile.smem<sw128 8 64 2>>
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}

// -----

// expected-error@+1 {{the layout covers [8, 64], the tile is [8, 32]}}
func.func private @f(!tile.shared<8x32xbf16, #tile.smem<row_major 8 64 2>>)

// -----

// expected-error@+1 {{the layout has elements of 2 bytes, the tile's are 'f32'}}
func.func private @f(!tile.shared<8x64xf32, #tile.smem<row_major 8 64 2>>)

// -----

// expected-error@+1 {{shared memory holds elements of 8, 16, 32 or 64 bits, not 'i1'}}
func.func private @f(!tile.shared<8x64xi1, #tile.smem<row_major 8 64 1>>)

// -----

// expected-error@+1 {{a buffer has at least one stage, not 0}}
func.func private @f(!tile.shared<8x64xbf16, #tile.smem<row_major 8 64 2>, stages 0>)

// -----

#a = #tile.smem<row_major 8 64 2>
func.func @f(%a: !tile.shared<8x64xbf16, #a>) {
  // expected-error@+1 {{bytes 512 to 1536 are not inside the source of 1024}}
  %b = tile.alias %a at 512 : !tile.shared<8x64xbf16, #a> -> !tile.shared<8x64xbf16, #a>
  return
}

// -----

#a = #tile.smem<row_major 32 64 2>
#b = #tile.smem<sw128 8 64 2>
func.func @f(%a: !tile.shared<32x64xbf16, #a>) {
  // expected-error@+1 {{the result starts at a multiple of 128 bytes, its layout needs 1024}}
  %b = tile.alias %a at 1024 : !tile.shared<32x64xbf16, #a> -> !tile.shared<8x64xbf16, #b>
  return
}

// -----

#a = #tile.smem<row_major 8 64 2>
func.func @f(%a: !tile.shared<8x64xbf16, #a, stages 3>, %c: !tile.cursor<4>) {
  // expected-error@+1 {{the cursor runs over 4 slots, the buffer has 3 stages}}
  %s = tile.slot %a[%c] : !tile.shared<8x64xbf16, #a, stages 3>, !tile.cursor<4>
  return
}

// -----

#a = #tile.smem<sw128 16 64 2>
#b = #tile.smem<sw128 8 64 2>
func.func @f(%a: !tile.shared<16x64xbf16, #a, stages 3>, %i: i32) {
  // expected-error@+1 {{takes one stage of shared memory, not 3: pick one by tile.slot}}
  %p = tile.part %a[%i] dim 0 : !tile.shared<16x64xbf16, #a, stages 3> -> !tile.shared<8x64xbf16, #b>
  return
}

// -----

#a = #tile.smem<sw128 16 64 2>
#b = #tile.smem<sw128 8 64 2>
func.func @f(%a: !tile.shared<16x64xbf16, #a>, %i: i32) {
  // expected-error@+1 {{dimension 2 of a part with 2}}
  %p = tile.part %a[%i] dim 2 : !tile.shared<16x64xbf16, #a> -> !tile.shared<8x64xbf16, #b>
  return
}

// -----

#a = #tile.smem<sw128 16 64 2>
#b = #tile.smem<row_major 16 32 2>
func.func @f(%a: !tile.shared<16x64xbf16, #a>, %i: i32) {
  // A swizzle XORs the columns with the row.
  // expected-error@+1 {{no parts of 32 along dimension 1: element [4, 32] is not at a multiple of the stride}}
  %p = tile.part %a[%i] dim 1 : !tile.shared<16x64xbf16, #a> -> !tile.shared<16x32xbf16, #b>
  return
}

// -----

#a = #tile.smem<sw128 16 64 2>
#b = #tile.smem<row_major 8 64 2>
func.func @f(%a: !tile.shared<16x64xbf16, #a>, %i: i32) {
  // expected-error@+1 {{the part is !tile.shared<8x64xbf16, #tile.smem<sw128 8 64 2>>}}
  %p = tile.part %a[%i] dim 0 : !tile.shared<16x64xbf16, #a> -> !tile.shared<8x64xbf16, #b>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{starts at slot 4 of 4}}
  %c = tile.cursor start 4 : !tile.cursor<4>
  return
}

// -----

func.func @f(%c: !tile.cursor<4>) {
  // expected-error@+1 {{advances by 0, at least 1 is needed}}
  %n = tile.advance %c by 0 : !tile.cursor<4>
  return
}

// -----

func.func @f(%c: !tile.cursor<12>) {
  // expected-error@+1 {{by 8 over 12 slots sees only every 2. phase of a slot; say revisits 2 if the order is guaranteed elsewhere (the Emulator checks it)}}
  %n = tile.advance %c by 8 : !tile.cursor<12>
  return
}

// -----

func.func @f(%c: !tile.cursor<12>) {
  // expected-error@+1 {{by 8 over 12 slots comes back to a slot 2 uses later, not 3}}
  %n = tile.advance %c by 8 revisits 3 : !tile.cursor<12>
  return
}

// -----

// expected-error@+1 {{a ring has at least one slot, not 0}}
func.func private @f(!tile.cursor<0>)

// -----

#a = #tile.smem<row_major 4 8 2>
#b = #tile.smem<bytes 2 bases [[16], [2, 4], []] repeat [2 on 2 by 8]>
func.func @f(%a: !tile.shared<4x8xbf16, #a>, %i: i32) {
  // expected-error@+1 {{no parts of 2 along dimension 2: the tile has rank 2}}
  %p = tile.part %a[%i] dim 2 : !tile.shared<4x8xbf16, #a> -> !tile.shared<2x4x2xbf16, #b>
  return
}

// -----

#a = #tile.smem<row_major 4 8 2>
#b = #tile.smem<row_major 3 8 2>
func.func @f(%a: !tile.shared<4x8xbf16, #a>, %i: i32) {
  // expected-error@+1 {{no parts of 3 along dimension 0: the extent is 4}}
  %p = tile.part %a[%i] dim 0 : !tile.shared<4x8xbf16, #a> -> !tile.shared<3x8xbf16, #b>
  return
}

// -----

// Rows 0 to 7 are swizzled together.
#a = #tile.smem<sw128 24 64 2>
#b = #tile.smem<row_major 3 64 2>
func.func @f(%a: !tile.shared<24x64xbf16, #a>, %i: i32) {
  // expected-error@+1 {{no parts of 3 along dimension 0: the parts cut through the core of the layout}}
  %p = tile.part %a[%i] dim 0 : !tile.shared<24x64xbf16, #a> -> !tile.shared<3x64xbf16, #b>
  return
}

// -----

// Three rows, a gap, four times: parts of two rows would cross it.
#a = #tile.smem<bytes 2 bases [[], [2, 4, 8]] repeat [3 on 0 by 16, 4 on 0 by 64]>
#b = #tile.smem<row_major 2 8 2>
func.func @f(%a: !tile.shared<12x8xbf16, #a>, %i: i32) {
  // expected-error@+1 {{no parts of 2 along dimension 0: element [4, 0] is not at a multiple of the stride}}
  %p = tile.part %a[%i] dim 0 : !tile.shared<12x8xbf16, #a> -> !tile.shared<2x8xbf16, #b>
  return
}

// -----

#a = #tile.smem<bytes 2 bases [[], [2, 4, 8]] repeat [3 on 0 by 16, 4 on 0 by 64]>
#b = #tile.smem<row_major 4 8 2>
func.func @f(%a: !tile.shared<12x8xbf16, #a>, %i: i32) {
  // expected-error@+1 {{no parts of 4 along dimension 0: the parts cut through a repeat of the layout}}
  %p = tile.part %a[%i] dim 0 : !tile.shared<12x8xbf16, #a> -> !tile.shared<4x8xbf16, #b>
  return
}

// -----

// expected-error@+1 {{'layout' is followed by <a layout>}}
func.func private @f(tensor<8xf32, #tile.layout>)

// -----

// expected-error@+1 {{acc: n = 12, must be a multiple of 8 up to 256}}
func.func private @f(tensor<64x12xf32, #tile.layout<acc 12>>)
