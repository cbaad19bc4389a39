// SiTU-GLU on a grid of gates and ups.
// REQUIRES: golden, compiler
// RUN: k3-compile %s -o %t.k3x --max-tokens=64 --max-seqs=1
// RUN: %python %S/ops.py situ %t.k3x %golden/ops/ops.safetensors %t

module attributes {k3.version = 1 : i64} {
  func.func @situ(%x: tensor<?x78xf32> {k3.name = "x"}) -> (tensor<?x39xf32> {k3.name = "out"}) {
    %y = k3.situ_glu %x betas 4.0, 25.0 : tensor<?x78xf32> -> tensor<?x39xf32>
    return %y : tensor<?x39xf32>
  }
}
