// What no kernel serves is refused in one line: kernel, op, architecture, what was expected.
// RUN: not k3-opt %s --k3-build-kernel="family=gemm name=up n=100 k=64" 2>&1 | FileCheck %s --check-prefix=N
// RUN: not k3-opt %s --k3-build-kernel="family=gemm name=up n=64 k=100 target=sm_80" 2>&1 | FileCheck %s --check-prefix=K
// RUN: not k3-opt %s --k3-build-kernel="family=rms_norm d=100" 2>&1 | FileCheck %s --check-prefix=D
// RUN: not k3-opt %s --k3-build-kernel="family=attn_res d=128 sources=17" 2>&1 | FileCheck %s --check-prefix=SOURCES
// RUN: not k3-opt %s --k3-build-kernel="family=attn_res d=128 sources=2 adds-delta=false writes-bank=true" 2>&1 | FileCheck %s --check-prefix=BANK
// RUN: not k3-opt %s --k3-build-kernel="family=conv" 2>&1 | FileCheck %s --check-prefix=FAMILY
// RUN: not k3-opt %s --k3-build-kernel="family=gemm n=64 k=64 rows=9:8" 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not k3-opt %s --k3-build-kernel="family=gemm n=64 k=64 target=h2000" 2>&1 | FileCheck %s --check-prefix=TARGET

// N: error: kernel 'up': gemm on sm_90a: n = 100; rows of y need a multiple of 8 columns (16 bytes)
// K: error: kernel 'up': gemm on sm_80: k = 100; rows of x and w need a multiple of 8 columns (16 bytes)
// D: error: kernel 'rms_norm': rms_norm on sm_90a: rows of 100 elements; 16-byte vectors need a multiple of 8
// SOURCES: error: kernel 'attn_res': attn_res on sm_90a: 17 sources; a token's sources fit the registers up to 16
// BANK: error: kernel 'attn_res': attn_res on sm_90a: a bank copy of p without a delta is a copy of the prefix; copy that
// FAMILY: error: k3-build-kernel: unknown family 'conv'; known are gemm, rms_norm, attn_res
// ROWS: error: k3-build-kernel: rows=9:8, expected FIRST:LAST
// TARGET: error: k3-build-kernel: unknown GPU 'h2000'
module {}
