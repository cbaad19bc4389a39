// RUN: k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-check-arch{arch=sm_89}))' -split-input-file -verify-diagnostics

// expected-error @below {{kernel 'pair': clusters need sm_90a, sm_100a, sm_103a, sm_120a, the target is sm_89}}
tile.kernel @pair() attributes {cluster = array<i32: 2>} {
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}

// -----

tile.kernel @budget() {
  tile.roles {
    // expected-error @below {{kernel 'budget': tile.role needs sm_90a, sm_100a, sm_103a, sm_120a, the target is sm_89}}
    tile.role "r" warps 4 regs 96 (%i) {}
  }
  tile.return
}
