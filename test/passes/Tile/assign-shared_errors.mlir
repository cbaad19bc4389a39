// RUN: k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-assign-shared{arch=h200}))' -split-input-file -verify-diagnostics

#a = #tile.smem<sw128 128 64 2>
#b = #tile.smem<sw128 256 64 2>
#s = #tile.smem<sw128 64 64 2>
// expected-error @below {{kernel 'gemm': shared memory 245824 B, sm_90a allows 232448 B (a 65536, b 131072, staging 49152, barriers 64)}}
tile.kernel @gemm() {
  %A = tile.alloc "a" : !tile.shared<128x64xbf16, #a, stages 4>
  %B = tile.alloc "b" : !tile.shared<256x64xbf16, #b, stages 4>
  %S = tile.alloc "staging" : !tile.shared<64x64xbf16, #s, stages 6>
  %full = tile.mbar_alloc "full" : !tile.mbar<4, arrivals = 1>
  %empty = tile.mbar_alloc "empty" : !tile.mbar<4, arrivals = 8>
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}

// -----

// expected-error @below {{kernel 'busy': 17 named barriers, a CTA has 15 beside its own (role 'build' 8, named_sync 'x' 9)}}
tile.kernel @busy() {
  tile.roles {
    tile.role "build" instances 8 warps 2 (%i) { tile.team_sync }
    tile.role "other" instances 9 warps 1 (%i) { tile.named_sync "x" warps 2 per_instance }
  }
  tile.return
}
