// RUN: k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-check-arch{arch=sm_90a}))' -verify-diagnostics

// A wide cluster is in the architecture, but not on every product.
// expected-remark @below {{kernel 'wide': a cluster of 16 CTAs, not every sm_90a launches more than 8}}
tile.kernel @wide() attributes {cluster = array<i32: 16>} {
  tile.roles { tile.role "r" warps 1 regs 24 (%i) { tile.pdl_wait } }
  tile.return
}

// An op of every architecture.
tile.kernel @plain(%x: !tile.view<?x256xf32>) {
  %c = arith.constant 0 : i32
  tile.roles {
    tile.role "r" warps 2 (%i) {
      %v = tile.load %x[%c, %c] : !tile.view<?x256xf32> -> tensor<256xf32, #tile.layout<rows 4 256 2>>
    }
  }
  tile.return
}
