// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @f(%v: !tile.view<?xf32>, %i: i32) {
  // expected-error@+1 {{a counter or flag is i32, the view holds 'f32'}}
  tile.signal %v[%i] add %i : !tile.view<?xf32>
  return
}

// -----

func.func @f(%v: !tile.view<?xi32>, %i: i32) {
  // expected-error@+1 {{has 2 coordinates, the array has 1 dimensions}}
  tile.await %v[%i, %i] ge %i : !tile.view<?xi32>
  return
}

// -----

func.func @f(%v: !tile.view<?xi64>, %i: i32) {
  // expected-error@+1 {{a counter or flag is i32, the view holds 'i64'}}
  %old = tile.atomic_add %v[%i], %i : !tile.view<?xi64>
  return
}

// -----

func.func @f(%v: !tile.view<?xi32>, %i: i32, %ok: i1) {
  // expected-error@+1 {{code 0: a 32-bit number other than 0, which says that nothing happened}}
  tile.assert_flag %ok, %v[%i] code 0 : !tile.view<?xi32>
  return
}

// -----

func.func @f(%v: !tile.view<?xi16>, %i: i32, %ok: i1) {
  // expected-error@+1 {{a counter or flag is i32, the view holds 'i16'}}
  tile.assert_flag %ok, %v[%i] code 1 : !tile.view<?xi16>
  return
}
