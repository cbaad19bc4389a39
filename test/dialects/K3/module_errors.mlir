// RUN: k3-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{this compiler reads k3 IR up to version 1, the module has 2}}
module attributes {k3.version = 2 : i64} {}

// -----

// expected-error@+1 {{k3.version must be at least 1, got 0}}
module attributes {k3.version = 0 : i64} {}

// -----

// expected-error@+1 {{k3.version must be a 64-bit integer, got "1"}}
module attributes {k3.version = "1"} {}

// -----

// expected-error@+1 {{k3.precision must be "f32" or "bf16", got "f16"}}
module attributes {k3.precision = "f16"} {}

// -----

// expected-error@+1 {{k3.mesh must be a #k3.mesh, got 1 : i64}}
module attributes {k3.mesh = 1 : i64} {}

// -----

// expected-error@+1 {{ep 3 does not divide dp * tp = 4}}
module attributes {k3.mesh = #k3.mesh<pp = 1, dp = 2, tp = 2, ep = 3, cp = 1>} {}

// -----

// expected-error@+1 {{cp 4 does not divide tp 2}}
module attributes {k3.mesh = #k3.mesh<pp = 1, dp = 2, tp = 2, ep = 1, cp = 4>} {}

// -----

// expected-error@+1 {{mesh axis tp must be at least 1, got 0}}
module attributes {k3.mesh = #k3.mesh<pp = 1, dp = 1, tp = 0, ep = 1, cp = 1>} {}

// -----

// expected-error@+1 {{'func.func' op has k3.version, which belongs on a module}}
func.func @f() attributes {k3.version = 1 : i64} { return }

// -----

// expected-error@+1 {{k3.variant must be "decode" or "ragged", got "prefill"}}
func.func @f() attributes {k3.variant = "prefill"} { return }

// -----

!i = tensor<?xi32>
module attributes {k3.version = 1 : i64} {
  // expected-error@+1 {{@step needs the 11 arguments of the step ABI, it has 10: argument 10 'ckpt_rows' is missing}}
  func.func @step(%0: !i, %1: !i, %2: !i, %3: !i, %4: !i, %5: tensor<?x16xi32>, %6: !i, %7: !i, %8: !i, %9: !i) -> tensor<?x256xf32> {
    %l = ub.poison : tensor<?x256xf32>
    return %l : tensor<?x256xf32>
  }
}

// -----

!i = tensor<?xi32>
module attributes {k3.version = 1 : i64} {
  // expected-error@+1 {{@step_decode needs the 11 arguments of the step ABI, argument 3 'read_slots' is 'tensor<?xi64>', expected a tensor of i32 with 1 dimension}}
  func.func @step_decode(%0: !i, %1: !i, %2: !i, %3: tensor<?xi64>, %4: !i, %5: tensor<?x16xi32>, %6: !i, %7: !i, %8: !i, %9: !i, %10: !i) -> tensor<?x256xf32> {
    %l = ub.poison : tensor<?x256xf32>
    return %l : tensor<?x256xf32>
  }
}

// -----

!i = tensor<?xi32>
module attributes {k3.version = 1 : i64} {
  // expected-error@+1 {{@step_ragged returns 'logits', a tensor of f32 with 2 dimensions, got 'tensor<?x256xbf16>'}}
  func.func @step_ragged(%0: !i, %1: !i, %2: !i, %3: !i, %4: !i, %5: tensor<?x16xi32>, %6: !i, %7: !i, %8: !i, %9: !i, %10: !i) -> tensor<?x256xbf16> {
    %l = ub.poison : tensor<?x256xbf16>
    return %l : tensor<?x256xbf16>
  }
}

// -----

!i = tensor<?xi32>
module attributes {k3.version = 1 : i64} {
  // expected-error@+1 {{@copy_state returns nothing, got 1 results}}
  func.func @copy_state(%0: !i, %1: !i, %2: !i, %3: !i) -> !i { return %0 : !i }
}

// -----

!i = tensor<?xi32>
module attributes {k3.version = 1 : i64} {
  // expected-error@+1 {{@sample needs the 5 arguments of the sampler, argument 0 'logits' is 'tensor<?xi32>', expected a tensor of f32 with 2 dimensions}}
  func.func @sample(%0: !i, %1: !i, %2: !i, %3: !i, %4: !i) -> !i { return %0 : !i }
}
