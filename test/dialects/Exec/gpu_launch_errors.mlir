// RUN: k3-opt %s -split-input-file -verify-diagnostics

exec.kernel @k "r" gpu "k"
exec.program @p step on "gpu" {
  %x = exec.tensor "x" dims [T, 64] : bf16
  // expected-error @below {{'exec.launch' op names @k, which is GPU code; launch it with exec.gpu_launch}}
  %e = exec.launch @k(%x) "r" units [T] : !exec.view<bf16>
}

// -----

exec.kernel @k "r"
exec.program @p step on "gpu" {
  %x = exec.tensor "x" dims [T, 64] : bf16
  // expected-error @below {{'exec.gpu_launch' op names @k, which is no GPU code; launch it with exec.launch}}
  %e = exec.gpu_launch @k(%x) "r" args [step_in 0] grid [T] block 32 : !exec.view<bf16>
}

// -----

exec.kernel @k "w" gpu "k"
exec.program @p step on "gpu" {
  %x = exec.tensor "x" dims [T, 64] : bf16
  // expected-error @below {{argument 0 writes view 0, so its role is step_out, not step_in}}
  %e = exec.gpu_launch @k(%x) "w" args [step_in 0] grid [T] block 32 : !exec.view<bf16>
}

// -----

exec.kernel @k "rr" gpu "k"
exec.program @p step on "gpu" {
  %x = exec.tensor "x" dims [T, 64] : bf16
  // expected-error @below {{view 1 is no argument of the kernel}}
  %e = exec.gpu_launch @k(%x, %x) "rr" args [step_in 0] grid [T] block 32 : !exec.view<bf16>, !exec.view<bf16>
}

// -----

exec.kernel @k "r" gpu "k"
exec.program @p step on "gpu" {
  %x = exec.tensor "x" dims [T, 64] : bf16
  // expected-error @below {{argument 1 names view 1, there are 1}}
  %e = exec.gpu_launch @k(%x) "r" args [step_in 0, constant 1] grid [T] block 32 : !exec.view<bf16>
}

// -----

exec.kernel @k "r" gpu "k"
exec.program @p step on "gpu" {
  %x = exec.tensor "x" dims [T, 64] : bf16
  // expected-error @below {{a block has 1 to 1024 threads, not 2048}}
  %e = exec.gpu_launch @k(%x) "r" args [step_in 0] grid [T] block 2048 : !exec.view<bf16>
}

// -----

exec.kernel @k "r" gpu "k"
exec.program @p step on "gpu" {
  %x = exec.tensor "x" dims [T, 64] : bf16
  // expected-error @below {{a grid of 7 blocks in y is not whole clusters of 2}}
  %e = exec.gpu_launch @k(%x) "r" args [step_in 0] grid [T, 7] block 32 cluster [1, 2, 1] : !exec.view<bf16>
}

// -----

exec.kernel @k "r" gpu "k"
exec.program @p step on "gpu" {
  %x = exec.tensor "x" dims [T, 64] : bf16
  // expected-error @below {{a cluster has at most 16 blocks, not 32}}
  %e = exec.gpu_launch @k(%x) "r" args [step_in 0] grid [T] block 32 cluster [32, 1, 1] : !exec.view<bf16>
}

// -----

exec.kernel @k "r" gpu "k"
exec.program @p step on "gpu" {
  %x = exec.tensor "x" dims [T, 64] : bf16
  // expected-error @below {{argument 0: a box of 1 dimensions over a view of 2}}
  %e = exec.gpu_launch @k(%x) "r" args [map 0 box [64]] grid [T] block 32 : !exec.view<bf16>
}

// -----

exec.kernel @k "r" gpu "k"
exec.program @p step on "gpu" {
  %x = exec.tensor "x" dims [T, 64] : bf16
  // expected-error @below {{argument 0: the innermost extent of a box swizzled by 64 bytes is at most that, not 128 bytes}}
  %e = exec.gpu_launch @k(%x) "r" args [map 0 box [8, 64] swizzle 64] grid [T] block 32 : !exec.view<bf16>
}

// -----

exec.kernel @k "r" gpu "k"
exec.program @p step on "gpu" {
  %x = exec.tensor "x" dims [T, 64] : bf16
  // expected-error @below {{a box has 1 to 256 elements in a dimension, not 512}}
  %e = exec.gpu_launch @k(%x) "r" args [map 0 box [512, 64]] grid [T] block 32 : !exec.view<bf16>
}

// -----

exec.kernel @k "r" gpu "k"
exec.program @p step on "gpu" {
  %x = exec.tensor "x" dims [T, 60] : bf16
  // expected-error @below {{argument 0: dimension 0 of the view has a stride of 120 bytes; a tensor map takes multiples of 16 below 2^40}}
  %e = exec.gpu_launch @k(%x) "r" args [map 0 box [8, 32]] grid [T] block 32 : !exec.view<bf16>
}

// -----

exec.kernel @k "r" gpu "k"
exec.program @p step on "gpu" {
  %x = exec.tensor "x" dims [T, 64] : bf16
  %v = exec.view %x at [4] dims [T, 32] row_stride 64 : !exec.view<bf16> -> bf16
  // expected-error @below {{argument 0: the view begins 8 bytes behind its source; a tensor map begins at a multiple of 16}}
  %e = exec.gpu_launch @k(%v) "r" args [map 0 box [8, 32]] grid [T] block 32 : !exec.view<bf16>
}

// -----

exec.kernel @k "r" gpu "k"
exec.program @p step on "gpu" {
  %x = exec.tensor "x" dims [T, 64] : bf16
  // expected-error @below {{unknown argument 'ptr'; arguments are constant, step_in, step_out, map, i32, i64 and f32}}
  %e = exec.gpu_launch @k(%x) "r" args [ptr 0] grid [T] block 32 : !exec.view<bf16>
}
