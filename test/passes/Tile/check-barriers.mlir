// RUN: k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-check-barriers))' -verify-diagnostics -o /dev/null

#row = #tile.smem<row_major 1 256 4>
#lay = #tile.layout<reg [[0, 1], [0, 2]] lane [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]] warp [[0, 128]]>

// Two teams of readers release a slot: 2 warps each of 2 instances, and one team of one arrival. What nobody counts is nothing to say.
tile.kernel @counts(%x: !tile.view<?x256xf32>, %n: i32) {
  %ring = tile.alloc "ring" : !tile.shared<1x256xf32, #row, stages 2>
  %full = tile.mbar_alloc "full" : !tile.mbar<2, arrivals = 1>
  %empty = tile.mbar_alloc "empty" : !tile.mbar<2, arrivals = 5>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.roles {
    tile.role "load" warps 1 (%i) {
      %p = tile.cursor : !tile.cursor<2>
      tile.elect {
        %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %p) -> (!tile.cursor<2>) : i32 {
          tile.mbar_wait %empty[%c] producer : !tile.mbar<2, arrivals = 5>, !tile.cursor<2>
          tile.mbar_expect %full[%c] bytes 1024 : !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
          %slot = tile.slot %ring[%c] : !tile.shared<1x256xf32, #row, stages 2>, !tile.cursor<2>
          tile.bulk_load %x[%k, %c0] -> %slot on %full[%c] : !tile.view<?x256xf32> -> !tile.shared<1x256xf32, #row>, !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
          %next = tile.advance %c : !tile.cursor<2>
          scf.yield %next : !tile.cursor<2>
        }
      }
    }
    tile.role "use" instances 2 warps 2 (%i) {
      %p = tile.cursor : !tile.cursor<2>
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %p) -> (!tile.cursor<2>) : i32 {
        tile.mbar_wait %full[%c] : !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
        tile.mbar_arrive %empty[%c] : !tile.mbar<2, arrivals = 5>, !tile.cursor<2>
        %next = tile.advance %c : !tile.cursor<2>
        scf.yield %next : !tile.cursor<2>
      }
    }
    // One iteration behind.
    tile.role "late" warps 2 (%i) {
      %p = tile.cursor : !tile.cursor<2>
      tile.mbar_wait %full[%p] : !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
      %q = tile.advance %p : !tile.cursor<2>
      %last, %e = scf.for %k = %c1 to %n step %c1 iter_args(%old = %p, %c = %q) -> (!tile.cursor<2>, !tile.cursor<2>) : i32 {
        tile.mbar_wait %full[%c] : !tile.mbar<2, arrivals = 1>, !tile.cursor<2>
        tile.mbar_arrive %empty[%old] arrival<per_team> : !tile.mbar<2, arrivals = 5>, !tile.cursor<2>
        %next = tile.advance %c : !tile.cursor<2>
        scf.yield %c, %next : !tile.cursor<2>, !tile.cursor<2>
      }
      tile.mbar_arrive %empty[%last] arrival<per_team> : !tile.mbar<2, arrivals = 5>, !tile.cursor<2>
    }
  }
  tile.return
}

// What a branch, the number of the instance or another CTA decides is left to the Emulator.
tile.kernel @unclear(%n: i32) attributes {cluster = array<i32: 2>} {
  %branch = tile.mbar_alloc "branch" : !tile.mbar<2, arrivals = 9>
  %stride = tile.mbar_alloc "stride" : !tile.mbar<8, arrivals = 9>
  %peer = tile.mbar_alloc "peer" : !tile.mbar<2, arrivals = 9>
  %number = tile.mbar_alloc "number" : !tile.mbar<2, arrivals = 9>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.roles {
    tile.role "one" warps 2 (%i) {
      %p = tile.cursor : !tile.cursor<2>
      %some = arith.cmpi eq, %n, %c0 : i32
      scf.if %some {
        // expected-remark @below {{kernel 'unclear': mbarrier 'branch' is not counted: it is under a condition}}
        tile.mbar_arrive %branch[%p] : !tile.mbar<2, arrivals = 9>, !tile.cursor<2>
      }
      // expected-remark @below {{kernel 'unclear': mbarrier 'peer' is not counted: it arrives at another CTA}}
      tile.mbar_arrive %peer[%p] peer %c1 : !tile.mbar<2, arrivals = 9>, !tile.cursor<2>
      // expected-remark @below {{kernel 'unclear': mbarrier 'number' is not counted: it names its slot by a number}}
      tile.mbar_arrive %number[%c1] : !tile.mbar<2, arrivals = 9>, i32
    }
    tile.role "own" instances 8 warps 1 (%w) {
      %p = tile.cursor : !tile.cursor<8>
      %mine = scf.for %k = %c0 to %w step %c1 iter_args(%c = %p) -> (!tile.cursor<8>) : i32 {
        %next = tile.advance %c : !tile.cursor<8>
        scf.yield %next : !tile.cursor<8>
      }
      // expected-remark @below {{kernel 'unclear': mbarrier 'stride' is not counted: the instances of the role take different paths}}
      tile.mbar_arrive %stride[%mine] : !tile.mbar<8, arrivals = 9>, !tile.cursor<8>
    }
  }
  tile.return
}
