// RUN: k3-opt %s --split-input-file --verify-diagnostics

tile.kernel @k() {
  tile.roles {
    // expected-error@+1 {{stands between roles: tile.roles holds tile.role only}}
    tile.team_sync
    tile.role "r" warps 1 (%i) {}
  }
  tile.return
}

// -----

tile.kernel @k() {
  tile.roles {
    tile.role "r" warps 1 (%i) {}
    // expected-error@+1 {{'r' is the name of another role}}
    tile.role "r" warps 1 (%i) {}
  }
  tile.return
}

// -----

tile.kernel @k() {
  // expected-error@+1 {{has no role}}
  tile.roles {
  }
  tile.return
}

// -----

tile.kernel @k() {
  // expected-error@+1 {{the roles have 33 warps together, a CTA has at most 32}}
  tile.roles {
    tile.role "a" warps 1 (%i) {}
    tile.role "b" instances 8 warps 4 (%i) {}
  }
  tile.return
}

// -----

tile.kernel @k() {
  tile.roles {
    // expected-error@+1 {{'r' has 0 instances of 4 warps, at least one of one is needed}}
    tile.role "r" instances 0 warps 4 (%i) {}
  }
  tile.return
}

// -----

tile.kernel @k() {
  tile.roles {
    // expected-error@+1 {{a role says how many 'warps' it has}}
    tile.role "r" (%i) {}
  }
  tile.return
}

// -----

tile.kernel @k() {
  tile.roles {
    // expected-error@+1 {{'r' has a budget of 100 registers, setmaxnreg takes multiples of 8 from 24 to 256}}
    tile.role "r" warps 4 regs 100 (%i) {}
  }
  tile.return
}

// -----

tile.kernel @k() {
  tile.roles {
    // expected-error@+1 {{'r' starts at warp 2: a role with a register budget starts at a warpgroup, a multiple of 4}}
    tile.role "r" warps 4 regs 96 at_warp 2 (%i) {}
  }
  tile.return
}

// -----

tile.kernel @k() {
  tile.roles {
    // expected-error@+1 {{the region takes the number of the instance, i32}}
    "tile.role"() <{name = "r", instances = 1 : i64, warps = 1 : i64}> ({
    ^body(%i: i64):
    }) : () -> ()
  }
  tile.return
}
