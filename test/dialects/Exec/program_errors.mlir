// RUN: k3-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{'exec.program' op bucket names 'Q', which is no launch-time symbol}}
exec.program @p step on "host" bucket {Q = [0, 8]} {
}

// -----

// expected-error @below {{'exec.program' op bucket of 'T' must be [low, high] with 0 <= low <= high}}
exec.program @p step on "host" bucket {T = [9, 8]} {
}

// -----

exec.program @p step on "host" bucket {T = [0, 8]} {
  %x = exec.tensor "x" dims [T] : f32
  // expected-error @below {{'exec.fill' op is on stream 1, the program has 1}}
  %e = exec.fill %x with 0 stream 1 : !exec.view<f32>
}

// -----

exec.program @p step on "host" {
  // expected-error @below {{unknown symbol 'Q'; launch-time symbols are T, S, R, C, SM, member, slot, N, M}}
  %x = exec.tensor "x" dims [Q] : f32
}
