// Every variant passes the checks of passes/Tile for an architecture that it claims.
// RUN: k3-opt %s --k3-build-kernel="family=rms_norm d=7168 rows=129:8192" --k3-tile-prepare="arch=h200" | FileCheck %s
// RUN: k3-opt %s --k3-build-kernel="family=attn_res d=7168 sources=9 rows=1:16" --k3-tile-prepare="arch=h200" | FileCheck %s
// RUN: k3-opt %s --k3-build-kernel="family=attn_res d=7168 sources=9 rows=265:8192" --k3-tile-prepare="arch=h200" | FileCheck %s
// RUN: k3-opt %s --k3-build-kernel="family=attn_res d=256 sources=3 rows=1:64 target=sm_86" --k3-tile-prepare="arch=sm_86" | FileCheck %s
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=7168 k=12288 rows=1:8" --k3-tile-prepare="arch=h200" | FileCheck %s
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=7168 k=12288 rows=33:64 epilogue=situ" --k3-tile-prepare="arch=h200" | FileCheck %s
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=2112 k=7168 rows=1:8 epilogue=gate" --k3-tile-prepare="arch=h200" | FileCheck %s
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=2112 k=7168 rows=65:128" --k3-tile-prepare="arch=h200" | FileCheck %s
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=2112 k=7168 rows=513:2048" --k3-tile-prepare="arch=h200" | FileCheck %s
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=18432 k=1536 rows=65:128 epilogue=residual" --k3-tile-prepare="arch=h200" | FileCheck %s
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=33792 k=7168 rows=2049:8192 epilogue=gate" --k3-tile-prepare="arch=h200" | FileCheck %s
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=33792 k=7168 rows=513:2048 epilogue=situ" --k3-tile-prepare="arch=h200" | FileCheck %s
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=2112 k=7168 rows=65:8192 target=sm_80" --k3-tile-prepare="arch=sm_80" | FileCheck %s
// RUN: k3-opt %s --k3-build-kernel="family=gemm n=200 k=72 rows=9:16 target=sm_120a epilogue=situ" --k3-tile-prepare="arch=sm_120a" | FileCheck %s
// CHECK: tile.kernel @{{.*}} shared_bytes = {{[0-9]+}}
// CHECK-SAME: threads = {{[0-9]+}}
module {}
