// RUN: k3-opt %s -split-input-file -verify-diagnostics

func.func @f(%f: tensor<?x256xf32>, %b: tensor<?x2xf32>) {
  // expected-error@+1 {{lower bound must be negative and finite, got 0}}
  %g, %beta = k3.kda_gate %f, %b, @a, @d bound 0.0 : (tensor<?x256xf32>, tensor<?x2xf32>) -> (tensor<?x2x128xf32>, tensor<?x2xf32>)
  return
}

// -----

func.func @f(%f: tensor<?x256xf32>, %b: tensor<?x4xf32>) {
  // expected-error@+1 {{b is [?, 4], expected [?, 2]}}
  %g, %beta = k3.kda_gate %f, %b, @a, @d bound -5.0 : (tensor<?x256xf32>, tensor<?x4xf32>) -> (tensor<?x2x128xf32>, tensor<?x2xf32>)
  return
}

// -----

func.func @f(%f: tensor<?x256xbf16>, %b: tensor<?x2xbf16>) {
  // expected-error@+1 {{result #0 must be ranked tensor of 32-bit float values}}
  %g, %beta = k3.kda_gate %f, %b, @a, @d bound -5.0 : (tensor<?x256xbf16>, tensor<?x2xbf16>) -> (tensor<?x2x128xbf16>, tensor<?x2xf32>)
  return
}

// -----

k3.weight @a : tensor<128xf32> from "a"
func.func @f(%f: tensor<?x256xf32>, %b: tensor<?x2xf32>) {
  // expected-error@+1 {{a_log @a is [128], expected [2]}}
  %g, %beta = k3.kda_gate %f, %b, @a, @d bound -5.0 : (tensor<?x256xf32>, tensor<?x2xf32>) -> (tensor<?x2x128xf32>, tensor<?x2xf32>)
  return
}

// -----

k3.weight @a : tensor<2xf32> from "a"
k3.weight @d : tensor<128xf32> from "d"
func.func @f(%f: tensor<?x256xf32>, %b: tensor<?x2xf32>) {
  // expected-error@+1 {{dt_bias @d is [128], expected [256]}}
  %g, %beta = k3.kda_gate %f, %b, @a, @d bound -5.0 : (tensor<?x256xf32>, tensor<?x2xf32>) -> (tensor<?x2x128xf32>, tensor<?x2xf32>)
  return
}
