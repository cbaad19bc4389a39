// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @f() {
  tile.elect {
    // expected-error@+1 {{uses a tile in tile.elect, where one lane runs alone}}
    %t = tile.iota 0 : tensor<256xi32, #tile.layout<rows 8 256 1>>
  }
  return
}

// -----

func.func @f() {
  tile.elect {
    // expected-error@+1 {{is for whole teams: tile.elect holds scalars, copies, barriers and scf only}}
    tile.team_sync
  }
  return
}

// -----

func.func @f() {
  tile.elect {
    // expected-error@+1 {{is for whole teams: tile.elect holds scalars, copies, barriers and scf only}}
    tile.elect {
    }
  }
  return
}
