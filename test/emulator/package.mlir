// A package for a GPU on the emulating device: four kernels in a row, each launched while the one ahead still runs. The values are
// those of the same graph compiled for the host in f32, but for the roundings of bf16.
// REQUIRES: compiler
// RUN: k3-compile %s --target=h200 -o %t.k3x --max-tokens=40 --max-seqs=1
// RUN: k3-compile %s --target=h200 --emit=tile -o %t.tile.mlir --max-tokens=40 --max-seqs=1
// RUN: k3-emulate %t.tile.mlir --package=%t.k3x --rows=37 --weights=random:5 --output=%t.safetensors | FileCheck %s
// CHECK: 16 launches, 4 schedules, 0 findings
// RUN: sed 's/bf16/f32/g' %s | k3-compile - -o %t.host.k3x --max-tokens=40 --max-seqs=1
// RUN: k3-run %t.host.k3x --weights=random:5 --given=%t.safetensors --given-set=block --dump-tensors=%t.host.safetensors
// RUN: k3-dump --diff %t.safetensors %t.host.safetensors --strip-prefix=block. --common --tolerance=1e-2

// A dependent kernel that does not wait for the kernel ahead.
// RUN: sed '/tile.pdl_wait/d' %t.tile.mlir > %t.fault.mlir
// RUN: not k3-emulate %t.fault.mlir --package=%t.k3x --rows=37 --seeds=1 | FileCheck %s --check-prefix=PDL
// PDL: access before pdl_wait: tile.{{.*}} of the earlier grid '{{.*}}') wrote them before and pdl_wait has not been passed

!h = tensor<?x264xbf16>
!u = tensor<?x520xbf16>
!v = tensor<264xf32>
module attributes {k3.version = 1 : i64} {
  k3.weight @v : !v from "v" init "uniform(0.5, 1.5)"
  k3.packed @packed.v : !v {
    %0 = k3.get @v : !v
    k3.yield %0 : !v
  }
  k3.weight @up : tensor<520x264xbf16> from "up" init "normal(0, 0.05)"
  k3.packed @packed.up : tensor<520x264xbf16> {
    %0 = k3.get @up : tensor<520x264xbf16>
    k3.yield %0 : tensor<520x264xbf16>
  }
  k3.weight @down : tensor<264x520xbf16> from "down" init "normal(0, 0.05)"
  k3.packed @packed.down : tensor<264x520xbf16> {
    %0 = k3.get @down : tensor<264x520xbf16>
    k3.yield %0 : tensor<264x520xbf16>
  }
  func.func @block(%bank: !h {k3.name = "bank"}, %prefix: !h {k3.name = "prefix"}, %delta: !h {k3.name = "delta"}) -> (!h {k3.name = "y"}, !h {k3.name = "p"}) {
    %x, %p = k3.attn_res [%bank] %prefix plus %delta, @packed.v norm @packed.v eps 1.0e-5 : [!h] !h plus !h -> !h, !h
    %n = k3.rms_norm %x, @packed.v eps 1.0e-5 : !h -> !h
    %u = k3.linear %n, @packed.up : !h -> !u
    %d = k3.linear %u, @packed.down : !u -> !h
    %y = arith.addf %d, %x : !h
    return %y, %p : !h, !h
  }
}
