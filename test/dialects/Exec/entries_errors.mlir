// RUN: k3-opt %s -split-input-file -verify-diagnostics

exec.kernel @k "rw"
exec.program @p step on "host" {
  %x = exec.tensor "x" dims [T] : f32
  // expected-error @below {{'exec.launch' op has 1 views and 2 access letters}}
  %e = exec.launch @k(%x) "rw" units [T] : !exec.view<f32>
}

// -----

exec.kernel @k "rw"
exec.program @p step on "host" {
  %x = exec.tensor "x" dims [T] : f32
  // expected-error @below {{'exec.launch' op accesses its views as 'rb', the kernel as 'rw'}}
  %e = exec.launch @k(%x, %x) "rb" units [T] : !exec.view<f32>, !exec.view<f32>
}

// -----

exec.program @p step on "host" {
  %x = exec.tensor "x" dims [T] : f32
  // expected-error @below {{'exec.launch' op names @k, which does not exist}}
  %e = exec.launch @k(%x) "w" units [T] : !exec.view<f32>
}

// -----

exec.program @p step on "host" {
  %x = exec.tensor "x" dims [T, 2, 2] : f32
  %w = exec.tensor "w" dims [6, 4] : f32
  %y = exec.tensor "y" dims [T, 6] : f32
  // expected-error @below {{'exec.gemm' op a must be [T, 4]; make an exec.view with these extents}}
  %e = exec.gemm %x, %w -> %y mnk [T, 6, 4] : !exec.view<f32>, !exec.view<f32> -> !exec.view<f32>
}

// -----

exec.program @p step on "host" {
  %x = exec.tensor "x" dims [T, 2] : f32
  %y = exec.tensor "y" dims [S, 2] : f32
  // expected-error @below {{'exec.copy' op copies between views of different extents}}
  %e = exec.copy %x -> %y : !exec.view<f32> -> !exec.view<f32>
}

// -----

k3.weight @w : tensor<4xf32> from "model.w"
exec.program @p step on "host" {
  %x = exec.tensor "x" dims [4] : f32
  // expected-error @below {{'exec.fetch' op reads the checkpoint, which only programs of kind pack may}}
  %e = exec.fetch @w "" -> %x : !exec.view<f32>
}

// -----

exec.program @p pack on "host" {
  // expected-error @below {{'exec.members' op needs at least one member and one slot}}
  %e = exec.members 0 {
  }
}

// -----

// expected-error @below {{'exec.kernel' op params 'rx' may hold the letters r, w and b only}}
exec.kernel @k "rx"
