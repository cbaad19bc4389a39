// A family that the target lacks is an error here, not a crash of the back end.
// RUN: k3-opt %s --k3-lower-tile-to-nvvm=arch=sm_120a --verify-diagnostics

tile.kernel @k() attributes {threads = 128 : i64} {
  tile.roles {
    tile.role "r" warps 4 at_warp 0 (%i) {
      // expected-error @below {{'tile.wgmma_fence' op needs sm_90a, the target is sm_120a}}
      tile.wgmma_fence
    }
  }
  tile.return
}
