// RUN: k3-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{argument 0 is 'f64': a kernel takes views, maps, i32, i64 and f32}}
tile.kernel @k(%x: f64) {
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}

// -----

// expected-error@+1 {{has no results}}
tile.kernel @k() -> i32 {
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}

// -----

// expected-error@+1 {{has a body}}
tile.kernel @k()

// -----

// expected-error@+1 {{argument 0: tile.role is an #tile.arg_role of a view or a map}}
tile.kernel @k(%n: i32 {tile.role = #tile.arg_role<constant>}) {
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}

// -----

// expected-error@+1 {{argument 0: tile.describes is a number on a map}}
tile.kernel @k(%x: !tile.view<?x64xbf16> {tile.describes = 0 : i64}) {
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}

// -----

// expected-error@+1 {{argument 0: a map says by tile.describes which view argument it maps}}
tile.kernel @k(%m: !tile.map<8x64xbf16>, %x: !tile.view<?x64xbf16>) {
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}

// -----

// expected-error@+1 {{argument 0: tile.describes = 2 is not the number of a view argument}}
tile.kernel @k(%m: !tile.map<8x64xbf16> {tile.describes = 2 : i64}, %x: !tile.view<?x64xbf16>, %n: i32) {
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}

// -----

// expected-error@+1 {{argument 0: the map has 2 dimensions of 'bf16', the view that it describes 1 of 'bf16'}}
tile.kernel @k(%m: !tile.map<8x64xbf16> {tile.describes = 1 : i64}, %x: !tile.view<?xbf16>) {
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}

// -----

// expected-error@+1 {{argument 0: the rows of the view that the map describes are 132 bytes apart, which is no multiple of 16}}
tile.kernel @k(%m: !tile.map<8x64xbf16> {tile.describes = 1 : i64}, %x: !tile.view<?x66xbf16>) {
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}

// -----

// expected-error@+1 {{cluster holds the CTAs along x, y and z, 16 at most together, not [32]}}
tile.kernel @k() attributes {cluster = array<i32: 32>} {
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}

// -----

// expected-error@+1 {{resident is the number of CTAs that wait for each other, not 0}}
tile.kernel @k() attributes {resident = 0 : i64} {
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}

// -----

// expected-error@+1 {{has one tile.roles, not 2}}
tile.kernel @k() {
  tile.roles { tile.role "a" warps 1 (%i) {} }
  tile.roles { tile.role "b" warps 1 (%i) {} }
  tile.return
}

// -----

tile.kernel @k() {
  tile.roles { tile.role "r" warps 1 (%i) {} }
  // expected-error@+1 {{tile.return follows tile.roles: a CTA ends with its roles}}
  %c = arith.constant 0 : i32
  tile.return
}

// -----

// expected-error@+1 {{the body is one block: control flow is scf}}
tile.kernel @k() {
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
^other:
  tile.return
}

// -----

tile.kernel @k() {
  // expected-error@+1 {{stands outside a role: the prologue holds allocations, scalars and tile.pdl_wait}}
  tile.team_sync
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}

// -----

tile.kernel @k() {
  // expected-error@+1 {{makes or uses a tile outside a role: a tile belongs to a team}}
  %t = tile.iota 0 : tensor<256xi32, #tile.layout<rows 8 256 1>>
  tile.roles { tile.role "r" warps 1 (%i) {} }
  tile.return
}
