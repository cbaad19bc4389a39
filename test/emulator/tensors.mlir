// Tiles under other names, picked apart, put together, in other layouts, gathered and reduced: what each gives, on 0 .. 255.
// REQUIRES: compiler
// RUN: k3-emulate %s --arg=iota:16x16 --arg=iota:16 --arg=poison:16x16 --arg=poison:16x8 --arg=poison:16x16 --arg=poison:16x16 --arg=poison:16x16 --arg=poison:16x16 --output=%t.safetensors
// RUN: %python %S/Inputs/print_f32.py %t.safetensors arg2 | FileCheck %s --check-prefix=TRANS
// TRANS: 0 16 32 48 64 80 96 112 128 144 160 176 192 208 224 240 1 17
// RUN: %python %S/Inputs/print_f32.py %t.safetensors arg3 | FileCheck %s --check-prefix=SLICE
// SLICE: 8 9 10 11 12 13 14 15 24 25
// RUN: %python %S/Inputs/print_f32.py %t.safetensors arg4 | FileCheck %s --check-prefix=CONCAT
// CONCAT: 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 24 25
// RUN: %python %S/Inputs/print_f32.py %t.safetensors arg5 | FileCheck %s --check-prefix=CONVERT
// CONVERT: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17
// RUN: %python %S/Inputs/print_f32.py %t.safetensors arg6 | FileCheck %s --check-prefix=GATHER
// GATHER: 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 224 225
// RUN: %python %S/Inputs/print_f32.py %t.safetensors arg7 | FileCheck %s --check-prefix=MAX
// MAX: 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 31 31

// The same scratch again before all lanes have read it.
// RUN: sed '/ between$/d' %s > %t.mlir
// RUN: not k3-emulate %t.mlir --seeds=1 --arg=iota:16x16 --arg=iota:16 --arg=poison:16x16 --arg=poison:16x8 --arg=poison:16x16 --arg=poison:16x16 --arg=poison:16x16 --arg=poison:16x16 | FileCheck %s --check-prefix=REUSE
// REUSE: missing warp_sync: tile.convert at {{.*}} writes bytes {{.*}} of 'scratch', tile.convert at {{.*}} read them before in another lane

#c = #tile.layout<mma_c 16>
#half = #tile.layout<mma_c 8>
#t = #tile.layout<reg [[1, 0], [0, 8], [8, 0]] lane [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#r = #tile.layout<reg [[0, 1], [0, 2], [0, 4]] lane [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#row = #tile.layout<lane [[0], [1], [2], [4], [8]]>
#m = #tile.smem<row_major 16 16 4>
tile.kernel @tensors(%x: !tile.view<16x16xf32>, %numbers: !tile.view<16xi32>, %y0: !tile.view<16x16xf32> {tile.role = #tile.arg_role<step_out>},
                     %y1: !tile.view<16x8xf32> {tile.role = #tile.arg_role<step_out>}, %y2: !tile.view<16x16xf32> {tile.role = #tile.arg_role<step_out>},
                     %y3: !tile.view<16x16xf32> {tile.role = #tile.arg_role<step_out>}, %y4: !tile.view<16x16xf32> {tile.role = #tile.arg_role<step_out>},
                     %y5: !tile.view<16x16xf32> {tile.role = #tile.arg_role<step_out>}) {
  %scratch = tile.alloc "scratch" : !tile.shared<16x16xf32, #m>
  %c0 = arith.constant 0 : i32
  %c15 = arith.constant 15 : i32
  tile.roles {
    tile.role "all" warps 1 (%i) {
      %v = tile.load %x[%c0, %c0] : !tile.view<16x16xf32> -> tensor<16x16xf32, #c>
      %t = tile.trans %v : tensor<16x16xf32, #c> -> tensor<16x16xf32, #t>
      tile.store %t -> %y0[%c0, %c0] : tensor<16x16xf32, #t> -> !tile.view<16x16xf32>
      %left = tile.slice %v dim 1 at 0 : tensor<16x16xf32, #c> -> tensor<16x8xf32, #half>
      %right = tile.slice %v dim 1 at 8 : tensor<16x16xf32, #c> -> tensor<16x8xf32, #half>
      tile.store %right -> %y1[%c0, %c0] : tensor<16x8xf32, #half> -> !tile.view<16x8xf32>
      %swapped = tile.concat %right, %left dim 1 : tensor<16x8xf32, #half>, tensor<16x8xf32, #half> -> tensor<16x16xf32, #c>
      tile.store %swapped -> %y2[%c0, %c0] : tensor<16x16xf32, #c> -> !tile.view<16x16xf32>
      %again = tile.convert %v via<shared> scratch %scratch : !tile.shared<16x16xf32, #m> : tensor<16x16xf32, #c> -> tensor<16x16xf32, #r>
      tile.store %again -> %y3[%c0, %c0] : tensor<16x16xf32, #r> -> !tile.view<16x16xf32>
      tile.warp_sync // between
      %back = tile.convert %swapped via<shared> scratch %scratch : !tile.shared<16x16xf32, #m> : tensor<16x16xf32, #c> -> tensor<16x16xf32, #r>
      %n = tile.load %numbers[%c0] : !tile.view<16xi32> -> tensor<16xi32, #row>
      %last = tile.splat %c15 : i32 -> tensor<16xi32, #row>
      %picks = arith.subi %last, %n : tensor<16xi32, #row>
      %g = tile.gather_load %x[%picks, %c0] : !tile.view<16x16xf32>, tensor<16xi32, #row> -> tensor<16x16xf32, #r>
      tile.store %g -> %y4[%c0, %c0] : tensor<16x16xf32, #r> -> !tile.view<16x16xf32>
      %most = tile.reduce<max> %again dim 1 : tensor<16x16xf32, #r> -> tensor<16xf32, #row>
      %wide = tile.expand %most dim 1 : tensor<16xf32, #row> -> tensor<16x16xf32, #r>
      tile.store %wide -> %y5[%c0, %c0] : tensor<16x16xf32, #r> -> !tile.view<16x16xf32>
    }
  }
  tile.return
}
