// RUN: k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-check-arch{arch=rtx5090}))' -split-input-file -verify-diagnostics
// RUN: not k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-check-arch{arch=sm_91}))' -split-input-file 2>&1 | FileCheck %s
// CHECK: kernel 'gemm': {{.*}}sm_91

#a = #tile.smem<sw128 64 64 2>
#acc = #tile.layout<acc 64>
tile.kernel @gemm() {
  %a = tile.alloc "a" : !tile.shared<64x64xbf16, #a>
  tile.roles {
    tile.role "math" warps 4 (%i) {
      // expected-error @below {{kernel 'gemm': tile.wgmma needs sm_90a, the target is sm_120a}}
      %p = tile.wgmma %a, %a : !tile.shared<64x64xbf16, #a>, !tile.shared<64x64xbf16, #a> -> !tile.pending<tensor<64x64xf32, #acc>>
      // Said once.
      %q = tile.wgmma %a, %a, %p : !tile.shared<64x64xbf16, #a>, !tile.shared<64x64xbf16, #a>, !tile.pending<tensor<64x64xf32, #acc>> -> !tile.pending<tensor<64x64xf32, #acc>>
      // expected-error @below {{kernel 'gemm': tile.wgmma_commit needs sm_90a, the target is sm_120a}}
      tile.wgmma_commit
    }
  }
  tile.return
}

// -----

// expected-error @below {{kernel 'wide': a cluster of 16 CTAs, sm_120a allows 8}}
tile.kernel @wide() attributes {cluster = array<i32: 4, 4>} {
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}
