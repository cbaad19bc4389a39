// RUN: k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-assign-warps))' -split-input-file -verify-diagnostics

// expected-error @below {{kernel 'kda_fwd': roles need 2 x 128 x 160 + 2 x 128 x 104 = 67584 registers, the pool is 512 x 128 = 65536; lower regs of 'build' to 96}}
tile.kernel @kda_fwd() {
  tile.roles {
    tile.role "state" instances 2 warps 4 regs 160 (%i) {}
    tile.role "build" instances 8 warps 1 regs 104 (%i) {}
  }
  tile.return
}

// -----

// What the role without a budget holds counts; nothing below 24 is proposed.
// expected-error @below {{kernel 'held': roles need 1 x 128 x 24 + 2 x 128 x 240 + 1 x 128 x 128 = 80896 registers, the pool is 512 x 128 = 65536; lower regs of 'math' to 176}}
tile.kernel @held() {
  tile.roles {
    tile.role "load" warps 1 regs 24 (%i) {}
    tile.role "math" instances 2 warps 4 regs 240 (%i) {}
    tile.role "store" warps 1 (%i) {}
  }
  tile.return
}

// -----

// expected-error @below {{kernel 'many': roles need 36 warps (those with regs are padded to warpgroups), a CTA has at most 32}}
tile.kernel @many() {
  tile.roles {
    tile.role "load" warps 1 regs 24 (%i) {}
    tile.role "math" instances 8 warps 3 regs 40 (%i) {}
    tile.role "store" warps 5 (%i) {}
  }
  tile.return
}

// -----

tile.kernel @overlap() {
  tile.roles {
    tile.role "a" warps 6 (%i) {}
    // expected-error @below {{kernel 'overlap': role 'b' starts at warp 4, the roles before it end at 6}}
    tile.role "b" warps 4 at_warp 4 (%i) {}
  }
  tile.return
}

// -----

tile.kernel @inside() {
  tile.roles {
    // expected-error @below {{kernel 'inside': role 'math' starts at warp 2 inside a warpgroup}}
    tile.role "math" warps 4 at_warp 2 (%i) { tile.wgmma_commit }
  }
  tile.return
}
