// RUN: k3-opt %s -split-input-file -verify-diagnostics

exec.program @p step on "host" {
  %b = exec.buffer staging "stage" bytes [4096]
  // expected-error @below {{'exec.view' op rows of 8 elements overlap with a row stride of 4}}
  %v = exec.view %b at [0] dims [T, 8] row_stride 4 : !exec.buffer -> f32
}

// -----

exec.program @p step on "host" {
  %b = exec.buffer staging "stage" bytes [4096]
  // expected-error @below {{'exec.view' op has one offset, not 2}}
  %v = exec.view %b at [0, 1] dims [T, 8] : !exec.buffer -> f32
}

// -----

exec.program @p step on "host" {
  // expected-error @below {{a view has integer or float elements of 8 to 64 bits, whole bytes, not 'i4'}}
  %x = exec.tensor "x" dims [T] : i4
}

// -----

exec.program @p step on "host" {
  // expected-error @below {{'exec.packed' op names @w, which does not exist}}
  %x = exec.packed @w dims [4] : f32
}

// -----

k3.weight @w : tensor<4xf32> from "model.w"
exec.program @p step on "host" {
  // expected-error @below {{'exec.state' op names @w, which is a k3.weight, expected a k3.state}}
  %x = exec.state @w dims [1, 4] : f32
}

// -----

exec.program @p step on "host" {
  // expected-error @below {{a divisor must be a positive number}}
  %x = exec.tensor "x" dims [T floordiv 0] : f32
}

// -----

exec.program @p step on "host" {
  // expected-error @below {{'exec.tensor' op has the extent S, only dimension 0 may depend on launch-time symbols}}
  %x = exec.tensor "x" dims [T, S] : f32
}
