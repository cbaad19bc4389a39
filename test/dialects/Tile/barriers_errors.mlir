// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @f() {
  // expected-error@+1 {{stands in the prologue of a kernel}}
  %b = tile.mbar_alloc "b" : !tile.mbar<4, arrivals = 8>
  return
}

// -----

tile.kernel @k() {
  // expected-error@+1 {{offset 12 is no multiple of 8}}
  %b = tile.mbar_alloc "b" {offset = 12 : i64} : !tile.mbar<4, arrivals = 8>
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}

// -----

// expected-error@+1 {{barriers have at least one slot and 1 to 2^20 - 1 arrivals, not 4 and 0}}
func.func private @f(!tile.mbar<4, arrivals = 0>)

// -----

func.func @f(%b: !tile.mbar<4, arrivals = 1>, %i: i32) {
  // expected-error@+1 {{expects 1048576 bytes, copies bring multiples of 16 up to 1048575}}
  tile.mbar_expect %b[%i] bytes 1048576 : !tile.mbar<4, arrivals = 1>, i32
  return
}

// -----

func.func @f(%b: !tile.mbar<4, arrivals = 1>, %i: i32) {
  // expected-error@+1 {{is issued by one lane: put it into tile.elect}}
  tile.mbar_expect %b[%i] bytes 128 : !tile.mbar<4, arrivals = 1>, i32
  return
}

// -----

func.func @f(%b: !tile.mbar<4, arrivals = 1>, %c: !tile.cursor<3>) {
  tile.elect {
    // expected-error@+1 {{the cursor runs over 3 slots, the barrier has 4}}
    tile.mbar_expect %b[%c] bytes 128 : !tile.mbar<4, arrivals = 1>, !tile.cursor<3>
  }
  return
}

// -----

func.func @f(%b: !tile.mbar<4, arrivals = 1>, %c: !tile.cursor<3>) {
  // expected-error@+1 {{the cursor runs over 3 slots, the barrier has 4}}
  tile.mbar_arrive %b[%c] : !tile.mbar<4, arrivals = 1>, !tile.cursor<3>
  return
}

// -----

func.func @f(%b: !tile.mbar<4, arrivals = 1>, %c: !tile.cursor<3>) {
  // expected-error@+1 {{the cursor runs over 3 slots, the barrier has 4}}
  tile.mbar_wait %b[%c] : !tile.mbar<4, arrivals = 1>, !tile.cursor<3>
  return
}

// -----

tile.kernel @k(%rank: i32) {
  %b = tile.mbar_alloc "b" : !tile.mbar<4, arrivals = 8>
  tile.roles {
    tile.role "r" warps 1 (%i) {
      // expected-error@+1 {{peer is a CTA of the cluster, the kernel has none}}
      tile.mbar_arrive %b[%i] peer %rank : !tile.mbar<4, arrivals = 8>, i32
    }
  }
  tile.return
}

// -----

tile.kernel @k() {
  tile.roles {
    tile.role "r" warps 4 (%i) {
      // expected-error@+1 {{waits for 2 warps, must be from those of its team to 32}}
      tile.named_sync "pair" warps 2
    }
  }
  tile.return
}

// -----

tile.kernel @k() {
  tile.roles {
    tile.role "r" warps 4 (%i) {
      tile.named_sync "pair" warps 8 arrive
      // expected-error@+1 {{'pair' waits for 4 warps here and for 8 elsewhere}}
      tile.named_sync "pair" warps 4
    }
  }
  tile.return
}
