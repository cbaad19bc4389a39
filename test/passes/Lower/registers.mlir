// Other names for registers, and other layouts: by names, by shuffles, through shared memory.
// RUN: k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --ptx | FileCheck %s
// RUN: %if ptxas %{ k3-opt %s --k3-tile-prepare=arch=sm_90a --k3-lower-tile-to-nvvm | k3-lowered-opt --assemble | FileCheck %s --check-prefix=ASM %}
// ASM: 0 bytes spilled
#c = #tile.layout<mma_c 16>
#c8 = #tile.layout<mma_c 8>
#ct = #tile.layout<reg [[1, 0], [0, 8], [8, 0]] lane [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#row = #tile.layout<reg [[8]] lane [[0], [0], [1], [2], [4]]>
#relabelled = #tile.layout<reg [[0, 8], [8, 0], [0, 1]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#shuffled = #tile.layout<reg [[0, 1], [8, 0], [0, 8]] lane [[0, 4], [0, 2], [1, 0], [2, 0], [4, 0]]>
#lines = #tile.layout<reg [[0, 1], [0, 2], [0, 4]] lane [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#s = #tile.smem<row_major 16 16 2 48>
tile.kernel @registers(%x: !tile.view<?x16xf32>, %r: !tile.view<16xf32>, %y: !tile.view<?x16xf32> {tile.role = #tile.arg_role<step_out>},
                       %z: !tile.view<?x16xbf16> {tile.role = #tile.arg_role<step_out>}) {
  %0 = arith.constant 0 : i32
  %16 = arith.constant 16 : i32
  %32 = arith.constant 32 : i32
  %48 = arith.constant 48 : i32
  %s = tile.alloc "s" : !tile.shared<16x16xbf16, #s>
  tile.roles {
    tile.role "one" warps 1 (%i) {
      %v = tile.load %x[%0, %0] : !tile.view<?x16xf32> -> tensor<16x16xf32, #c>
      %k = tile.load %r[%0] : !tile.view<16xf32> -> tensor<16xf32, #row>
      %e = tile.expand %k dim 1 : tensor<16xf32, #row> -> tensor<16x16xf32, #c>
      %ve = arith.mulf %v, %e : tensor<16x16xf32, #c>
      %left = tile.slice %ve dim 1 at 0 : tensor<16x16xf32, #c> -> tensor<16x8xf32, #c8>
      %right = tile.slice %ve dim 1 at 8 fresh : tensor<16x16xf32, #c> -> tensor<16x8xf32, #c8>
      %swap = tile.concat %right, %left dim 1 : tensor<16x8xf32, #c8>, tensor<16x8xf32, #c8> -> tensor<16x16xf32, #c>
      tile.store %swap -> %y[%0, %0] : tensor<16x16xf32, #c> -> !tile.view<?x16xf32>
      %t = tile.trans %ve : tensor<16x16xf32, #c> -> tensor<16x16xf32, #ct>
      tile.store %t -> %y[%16, %0] : tensor<16x16xf32, #ct> -> !tile.view<?x16xf32>
      %n = tile.convert %ve via<relabel> : tensor<16x16xf32, #c> -> tensor<16x16xf32, #relabelled>
      tile.store %n -> %y[%32, %0] : tensor<16x16xf32, #relabelled> -> !tile.view<?x16xf32>
      // CHECK: shfl.sync.idx
      %m = tile.convert %ve via<shuffle> : tensor<16x16xf32, #c> -> tensor<16x16xf32, #shuffled>
      tile.store %m -> %y[%48, %0] : tensor<16x16xf32, #shuffled> -> !tile.view<?x16xf32>
      %h = arith.truncf %v : tensor<16x16xf32, #c> to tensor<16x16xbf16, #c>
      // CHECK: prmt.b32
      %hr = tile.convert %h via<relabel> : tensor<16x16xbf16, #c> -> tensor<16x16xbf16, #relabelled>
      tile.store %hr -> %z[%0, %0] : tensor<16x16xbf16, #relabelled> -> !tile.view<?x16xbf16>
      %hs = tile.convert %h via<shuffle> : tensor<16x16xbf16, #c> -> tensor<16x16xbf16, #lines>
      tile.store %hs -> %z[%16, %0] : tensor<16x16xbf16, #lines> -> !tile.view<?x16xbf16>
      %hm = tile.convert %h via<shared> scratch %s : !tile.shared<16x16xbf16, #s> : tensor<16x16xbf16, #c> -> tensor<16x16xbf16, #lines>
      tile.store %hm -> %z[%32, %0] : tensor<16x16xbf16, #lines> -> !tile.view<?x16xbf16>
      %sl = tile.slice %h dim 0 at 8 : tensor<16x16xbf16, #c> -> tensor<8x16xbf16, #tile.layout<reg [[0, 1], [0, 8]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>
      tile.store %sl -> %z[%48, %0] : tensor<8x16xbf16, #tile.layout<reg [[0, 1], [0, 8]] lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>> -> !tile.view<?x16xbf16>
    }
  }
  tile.return
}
