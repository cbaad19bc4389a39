// What passes/Tile has not set is named; what has no exact code is refused.
// RUN: k3-opt %s --k3-lower-tile-to-nvvm --split-input-file --verify-diagnostics

// expected-error @below {{'tile.kernel' op has no 'threads'; run passes/Tile first}}
tile.kernel @k() {
  tile.roles { tile.role "r" warps 1 at_warp 0 (%i) {} }
  tile.return
}

// -----

tile.kernel @k() attributes {threads = 32 : i64, shared_bytes = 64 : i64} {
  // expected-error @below {{'tile.alloc' op 's' has no 'offset'; run passes/Tile first}}
  %s = tile.alloc "s" : !tile.shared<4x4xf32, #tile.smem<row_major 4 4 4>>
  tile.roles { tile.role "r" warps 1 at_warp 0 (%i) {} }
  tile.return
}

// -----

tile.kernel @k() attributes {threads = 32 : i64} {
  tile.roles {
    // expected-error @below {{'tile.role' op 'r' has no 'at_warp'; run passes/Tile first}}
    tile.role "r" warps 1 (%i) {}
  }
  tile.return
}

// -----

tile.kernel @k() attributes {threads = 64 : i64} {
  tile.roles {
    tile.role "r" warps 2 at_warp 0 (%i) {
      // expected-error @below {{'tile.team_sync' op has no 'id' of a hardware barrier; run passes/Tile first}}
      tile.team_sync
    }
  }
  tile.return
}

// -----

tile.kernel @k(%x: f32) attributes {threads = 32 : i64} {
  tile.roles {
    tile.role "r" warps 1 at_warp 0 (%i) {
      // expected-error @below {{'math.exp2' op is not lowered without fastmath<afn> in f32: it has no exact code without a library}}
      %e = math.exp2 %x : f32
    }
  }
  tile.return
}

// -----

tile.kernel @k() attributes {threads = 32 : i64} {
  tile.roles {
    tile.role "r" warps 1 at_warp 0 (%i) {
      // expected-error @below {{'arith.constant' op is not lowered: scalars of kernels are i32, not index}}
      %c = arith.constant 1 : index
    }
  }
  tile.return
}

// -----

tile.kernel @k(%n: !tile.view<4xi32>, %i: i32) attributes {threads = 64 : i64} {
  tile.roles {
    tile.role "r" warps 2 at_warp 0 (%j) {
      // expected-error @below {{'tile.atomic_add' op is not lowered in a team of 2 warps: let one warp or tile.elect do it}}
      %o = tile.atomic_add %n[%i], %i : !tile.view<4xi32>
    }
  }
  tile.return
}

// -----

tile.kernel @k(%x: !tile.view<?x64xbf16, strides [?, 1]>, %i: i32) attributes {threads = 32 : i64} {
  tile.roles {
    tile.role "r" warps 1 at_warp 0 (%j) {
      // expected-error @below {{'tile.load' op uses a view whose stride nothing gives; tile.strided does}}
      %v = tile.load %x[%i, %i] : !tile.view<?x64xbf16, strides [?, 1]> -> tensor<64xbf16, #tile.layout<rows 2 64 1>>
    }
  }
  tile.return
}
