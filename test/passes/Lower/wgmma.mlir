// Products of a warpgroup: both operands in shared memory, straight and turned, and A in registers, kept alive to the wait.
// RUN: k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --ptx | FileCheck %s
// RUN: %if ptxas %{ k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --assemble | FileCheck %s --check-prefix=ASM %}
// ASM: 0 bytes spilled
#acc = #tile.layout<acc 64>
#wg = #tile.layout<wg_a 64>
#sw = #tile.smem<sw128 64 64 2>
tile.kernel @wgmma(%x: !tile.view<?x64xbf16>, %w: !tile.view<?x64xbf16>, %y: !tile.view<?x64xf32> {tile.role = #tile.arg_role<step_out>}) {
  %0 = arith.constant 0 : i32
  %64 = arith.constant 64 : i32
  %128 = arith.constant 128 : i32
  %a = tile.alloc "a" : !tile.shared<64x64xbf16, #sw>
  %b = tile.alloc "b" : !tile.shared<64x64xbf16, #sw>
  tile.roles {
    tile.role "math" warps 4 (%i) {
      %xr = tile.load %x[%0, %0] : !tile.view<?x64xbf16> -> tensor<64x64xbf16, #wg>
      %wr = tile.load %w[%0, %0] : !tile.view<?x64xbf16> -> tensor<64x64xbf16, #wg>
      tile.store_shared %xr -> %a : tensor<64x64xbf16, #wg> -> !tile.shared<64x64xbf16, #sw>
      tile.store_shared %wr -> %b : tensor<64x64xbf16, #wg> -> !tile.shared<64x64xbf16, #sw>
      tile.fence_proxy<shared>
      tile.team_sync
      // CHECK: wgmma.fence.sync.aligned
      // CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
      // CHECK: wgmma.commit_group
      // CHECK: wgmma.wait_group.sync.aligned 0
      %p = tile.wgmma %a, %b : !tile.shared<64x64xbf16, #sw>, !tile.shared<64x64xbf16, #sw> -> !tile.pending<tensor<64x64xf32, #acc>>
      tile.wgmma_commit
      %r = tile.wgmma_wait 0 (%p : !tile.pending<tensor<64x64xf32, #acc>>) : tensor<64x64xf32, #acc>
      tile.store %r -> %y[%0, %0] : tensor<64x64xf32, #acc> -> !tile.view<?x64xf32>
      // CHECK: wgmma.fence.sync.aligned
      // CHECK-COUNT-4: wgmma.mma_async
      // CHECK: wgmma.commit_group
      %q = tile.wgmma %a trans_a, %b trans_b : !tile.shared<64x64xbf16, #sw>, !tile.shared<64x64xbf16, #sw> -> !tile.pending<tensor<64x64xf32, #acc>>
      tile.wgmma_commit
      %s = tile.wgmma_wait 0 (%q : !tile.pending<tensor<64x64xf32, #acc>>) : tensor<64x64xf32, #acc>
      tile.store %s -> %y[%64, %0] : tensor<64x64xf32, #acc> -> !tile.view<?x64xf32>
      %half = arith.constant dense<0.5> : tensor<64x64xf32, #acc>
      %c = arith.mulf %r, %half : tensor<64x64xf32, #acc>
      // CHECK: wgmma.fence.sync.aligned
      // CHECK-COUNT-8: wgmma.mma_async
      // CHECK: wgmma.commit_group
      // CHECK: wgmma.wait_group.sync.aligned 0
      %u = tile.wgmma %xr, %b trans_b, %c : tensor<64x64xbf16, #wg>, !tile.shared<64x64xbf16, #sw>, tensor<64x64xf32, #acc> -> !tile.pending<tensor<64x64xf32, #acc>>
      %v = tile.wgmma %wr, %a, %u : tensor<64x64xbf16, #wg>, !tile.shared<64x64xbf16, #sw>, !tile.pending<tensor<64x64xf32, #acc>> -> !tile.pending<tensor<64x64xf32, #acc>>
      tile.wgmma_commit
      %t = tile.wgmma_wait 0 (%v : !tile.pending<tensor<64x64xf32, #acc>>) : tensor<64x64xf32, #acc>
      tile.store %t -> %y[%128, %0] : tensor<64x64xf32, #acc> -> !tile.view<?x64xf32>
    }
  }
  tile.return
}
