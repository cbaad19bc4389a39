// RUN: k3-opt %s | k3-opt | FileCheck %s

// Expressions keep their meaning: precedence, signs, divisions.

// CHECK-LABEL: exec.program @p pack
exec.program @p pack on "host" {
  // CHECK: exec.buffer staging "stage" bytes [4096]
  %b = exec.buffer staging "stage" bytes [4096]
  // CHECK: at [slot * 512] dims [16, 8] : !exec.buffer -> f32
  %0 = exec.view %b at [slot * 512] dims [16, 8] : !exec.buffer -> f32
  // CHECK: at [(S + 1) * 4] dims [(T * 2) mod 8 + T ceildiv 64]
  %1 = exec.view %b at [4 * (S + 1)] dims [(2 * T) mod 8 + T ceildiv 64] : !exec.buffer -> bf16
  // CHECK: at [T * S + S * -4 - 1] dims [SM floordiv 2]
  %2 = exec.view %b at [T * S - 4 * S - 1] dims [SM floordiv 2] : !exec.buffer -> i8
  // CHECK: at [0] dims [] : !exec.buffer -> f32
  %3 = exec.view %b at [0] dims [] : !exec.buffer -> f32
}
