// RUN: k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-check-arguments))' -verify-diagnostics -o /dev/null

#rows = #tile.layout<rows 4 256 2>
#row = #tile.smem<row_major 1 256 4>

// Constants may be read ahead; a team that another one, which has waited, hands its data to need not wait itself.
tile.kernel @ahead(%x: !tile.view<?x256xf32>, %w: !tile.view<256xf32> {tile.role = #tile.arg_role<constant>},
                   %y: !tile.view<?x256xf32> {tile.role = #tile.arg_role<step_out>}, %n: i32) {
  %row = tile.alloc "row" : !tile.shared<1x256xf32, #row>
  %full = tile.mbar_alloc "full" : !tile.mbar<1, arrivals = 1>
  %c0 = arith.constant 0 : i32
  tile.roles {
    tile.role "load" warps 1 (%i) {
      %p = tile.cursor : !tile.cursor<1>
      tile.elect {
        tile.pdl_wait
        tile.pdl_launch
        tile.mbar_expect %full[%p] bytes 1024 : !tile.mbar<1, arrivals = 1>, !tile.cursor<1>
        tile.bulk_load %x[%c0, %c0] -> %row on %full[%p] : !tile.view<?x256xf32> -> !tile.shared<1x256xf32, #row>, !tile.mbar<1, arrivals = 1>, !tile.cursor<1>
      }
    }
    tile.role "use" warps 2 (%i) {
      %p = tile.cursor : !tile.cursor<1>
      %v = tile.load %w[%c0] : !tile.view<256xf32> -> tensor<256xf32, #rows>
      tile.mbar_wait %full[%p] : !tile.mbar<1, arrivals = 1>, !tile.cursor<1>
      tile.store %v -> %y[%c0, %c0] : tensor<256xf32, #rows> -> !tile.view<?x256xf32>
    }
  }
  tile.return
}

// All early accesses are to constants, so dependents may be launched first.
tile.kernel @launch_first(%x: !tile.view<?x256xf32>, %w: !tile.view<256xf32> {tile.role = #tile.arg_role<constant>}) {
  %c0 = arith.constant 0 : i32
  tile.pdl_launch
  tile.roles {
    tile.role "use" warps 2 (%i) {
      %v = tile.load %w[%c0] : !tile.view<256xf32> -> tensor<256xf32, #rows>
      tile.pdl_wait
      %u = tile.load %x[%c0, %c0] : !tile.view<?x256xf32> -> tensor<256xf32, #rows>
    }
  }
  tile.return
}

// A kernel without a wait is launched when all before it has ended.
tile.kernel @no_wait(%x: !tile.view<?x256xf32>) {
  %c0 = arith.constant 0 : i32
  tile.roles {
    tile.role "use" warps 2 (%i) {
      %v = tile.load %x[%c0, %c0] : !tile.view<?x256xf32> -> tensor<256xf32, #rows>
      // expected-remark @below {{kernel 'no_wait': argument 0 is step_in, tile.store writes it}}
      tile.store %v -> %x[%c0, %c0] : tensor<256xf32, #rows> -> !tile.view<?x256xf32>
    }
  }
  tile.return
}
