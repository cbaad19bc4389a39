// RUN: k3-opt %s --split-input-file --verify-diagnostics

#b = #tile.smem<sw128 8 64 2>
func.func @f(%x: !tile.view<?x64xbf16>, %s: !tile.shared<8x64xbf16, #b>, %i: i32) {
  // expected-error@+1 {{the lanes cover [64, 16], the tile is [8, 64]}}
  tile.cp_async %x[%i, %i] -> %s by (#tile.layout<acc 16>) : !tile.view<?x64xbf16> -> !tile.shared<8x64xbf16, #b>
  return
}

// -----

#b = #tile.smem<sw128 8 64 2>
#lanes = #tile.layout<reg [[0, 1], [0, 2], [0, 4]] lane [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]] warp [[4, 0]]>
tile.kernel @k(%x: !tile.view<?x64xbf16>, %i: i32) {
  %s = tile.alloc "s" : !tile.shared<8x64xbf16, #b>
  tile.roles {
    tile.role "r" warps 1 (%r) {
      // expected-error@+1 {{the lanes are those of 2 warps, the team has 1}}
      tile.cp_async %x[%i, %i] -> %s by (#lanes) : !tile.view<?x64xbf16> -> !tile.shared<8x64xbf16, #b>
    }
  }
  tile.return
}

// -----

#b = #tile.smem<sw128 8 64 2>
#lanes = #tile.layout<reg [[0, 1], [0, 2], [4, 0], [0, 4]] lane [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]]>
func.func @f(%x: !tile.view<?x64xbf16>, %s: !tile.shared<8x64xbf16, #b>, %i: i32) {
  // expected-error@+1 {{a lane copies 16 bytes at a time: 8 registers in a row have to be neighbours along the last dimension}}
  tile.cp_async %x[%i, %i] -> %s by (#lanes) : !tile.view<?x64xbf16> -> !tile.shared<8x64xbf16, #b>
  return
}

// -----

#b = #tile.smem<row_major 8 64 2 136>
#lanes = #tile.layout<reg [[0, 1], [0, 2], [0, 4]] lane [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]] repeat [reg 2 on 0]>
func.func @f(%x: !tile.view<?x64xbf16>, %s: !tile.shared<8x64xbf16, #b>, %i: i32) {
  // expected-error@+1 {{a lane copies 16 bytes at a time: in the shared layout they are not neighbours at a multiple of 16}}
  tile.cp_async %x[%i, %i] -> %s by (#lanes) : !tile.view<?x64xbf16> -> !tile.shared<8x64xbf16, #b>
  return
}

// -----

#b = #tile.smem<sw128 8 64 2>
#lanes = #tile.layout<reg [[0, 1], [0, 2], [0, 4]] lane [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]] repeat [reg 2 on 0]>
func.func @f(%x: !tile.view<?x68xbf16>, %s: !tile.shared<8x64xbf16, #b>, %i: i32) {
  // expected-error@+1 {{neighbours along dimension 0 of the view are 136 bytes apart, which is no multiple of 16}}
  tile.cp_async %x[%i, %i] -> %s by (#lanes) : !tile.view<?x68xbf16> -> !tile.shared<8x64xbf16, #b>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{waits until at most -1 groups are left}}
  tile.cp_async_wait -1
  return
}
