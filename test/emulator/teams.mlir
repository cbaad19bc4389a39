// Teams, lanes and CTAs that hand each other values: two roles through shared memory and a named barrier, CTAs through a counter. The
// sums of four CTAs' rows; every fault leaves out the line it is named after.
// REQUIRES: compiler
// DEFINE: %{args} = --grid=4 --arg=iota:32x32 --arg=poison:4x32 --arg=zeros:1 --arg=poison:32
// DEFINE: %{fault} = not k3-emulate %t.mlir %{args}
// RUN: k3-emulate %s %{args} --seeds=6 --output=%t.safetensors | FileCheck %s --check-prefix=CLEAN
// CLEAN: kernel 'teams': 6 schedules, 0 findings
// RUN: %python %S/Inputs/print_f32.py %t.safetensors arg3 | FileCheck %s --check-prefix=VALUES
// VALUES: 3584 3616 3648 3680{{.*}} 4544 4576

// RUN: sed '/ named-wait$/d' %s > %t.mlir && %{fault} | FileCheck %s --check-prefix=NAMED
// NAMED: race: {{.*}} of 'a', tile.{{load|store}}_shared at {{.*}} and nothing orders the two
// RUN: sed '/ named-arrive$/d' %s > %t.mlir && %{fault} --seeds=1 | FileCheck %s --check-prefix=LATE
// LATE: deadlock: tile.named_sync at {{.*}} by 'b' 0 of CTA {{.}} waits at named barrier 0: 1 of 2 warps have come
// RUN: sed '/ named-wait$/s/warps 2/warps 3/' %s > %t.mlir && not k3-emulate %t.mlir %{args} --seeds=1 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: {{.*}}named{{.*}}3
// RUN: sed '/ lanes$/d' %s > %t.mlir && %{fault} --seeds=1 | FileCheck %s --check-prefix=LANES
// LANES: missing warp_sync: tile.load_shared at {{.*}} reads bytes {{.*}} of 'b', tile.store_shared at {{.*}} in another lane and no warp_sync comes between
// RUN: sed '/ signal$/d' %s > %t.mlir && %{fault} --seeds=1 | FileCheck %s --check-prefix=SIGNAL
// SIGNAL: deadlock: tile.await at {{.*}} by 'b' 0 of CTA 0 waits for 4 in bytes [0, 4) of 'argument 2', which holds 0
// RUN: sed '/ await$/d' %s > %t.mlir && %{fault} | FileCheck %s --check-prefix=AWAIT
// AWAIT: race: {{.*}} of 'argument 1', {{.*}} and nothing orders the two
// RUN: not k3-emulate %s --grid=5 --arg=iota:40x32 --arg=poison:5x32 --arg=zeros:1 --arg=poison:32 2>&1 | FileCheck %s --check-prefix=RESIDENT
// RESIDENT: kernel 'teams' declares 4 resident CTAs, the grid has 5
// RUN: not k3-emulate %s --grid=4 --arg=iota:24x32 --arg=poison:4x32 --arg=zeros:1 --arg=poison:32 --seeds=1 | FileCheck %s --check-prefix=BOUNDS
// BOUNDS: out of bounds: tile.load at {{.*}} by 'a' 0 of CTA 3: byte 3072 of 'argument 0' is outside, the argument has 3072
// RUN: not k3-emulate %s --grid=4 --arg=poison:32x32 --arg=poison:4x32 --arg=zeros:1 --arg=poison:32 --seeds=1 | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: unwritten value: tile.store at {{.*}}: an undefined value is stored to 'argument 1', memory that was never written

#rows = #tile.layout<reg [[0, 1], [0, 2], [4, 0]] lane [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]]>
#cols = #tile.layout<reg [[1, 0], [2, 0], [4, 0]] lane [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>
#four = #tile.layout<reg [[1, 0], [2, 0]] lane [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>
#line = #tile.layout<lane [[1], [2], [4], [8], [16]]>
#m = #tile.smem<row_major 8 32 4>
tile.kernel @teams(%x: !tile.view<?x32xf32>, %parts: !tile.view<?x32xf32> {tile.role = #tile.arg_role<step_out>}, %count: !tile.view<1xi32>,
                   %y: !tile.view<32xf32> {tile.role = #tile.arg_role<step_out>}) attributes {resident = 4 : i64} {
  %a = tile.alloc "a" : !tile.shared<8x32xf32, #m>
  %b = tile.alloc "b" : !tile.shared<8x32xf32, #m>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %cta = tile.cta_id
  %all = tile.num_ctas
  tile.roles {
    tile.role "a" warps 1 (%i) {
      %row = arith.muli %cta, %c8 : i32
      %v = tile.load %x[%row, %c0] : !tile.view<?x32xf32> -> tensor<8x32xf32, #rows>
      tile.store_shared %v -> %a : tensor<8x32xf32, #rows> -> !tile.shared<8x32xf32, #m>
      tile.named_sync "go" warps 2 arrive // named-arrive
    }
    tile.role "b" warps 1 (%i) {
      tile.named_sync "go" warps 2 // named-wait
      %v = tile.load_shared %a : !tile.shared<8x32xf32, #m> -> tensor<8x32xf32, #rows>
      tile.store_shared %v -> %b : tensor<8x32xf32, #rows> -> !tile.shared<8x32xf32, #m>
      tile.warp_sync // lanes
      %w = tile.load_shared %b : !tile.shared<8x32xf32, #m> -> tensor<8x32xf32, #cols>
      %s = tile.reduce<add> %w dim 0 : tensor<8x32xf32, #cols> -> tensor<32xf32, #line>
      tile.store %s -> %parts[%cta, %c0] : tensor<32xf32, #line> -> !tile.view<?x32xf32>
      tile.signal %count[%c0] add %c1 : !tile.view<1xi32> // signal
      %first = arith.cmpi eq, %cta, %c0 : i32
      scf.if %first {
        tile.await %count[%c0] ge %all : !tile.view<1xi32> // await
        %p = tile.load %parts[%c0, %c0] : !tile.view<?x32xf32> -> tensor<4x32xf32, #four>
        %t = tile.reduce<add> %p dim 0 : tensor<4x32xf32, #four> -> tensor<32xf32, #line>
        tile.store %t -> %y[%c0] : tensor<32xf32, #line> -> !tile.view<32xf32>
      }
    }
  }
  tile.return
}
