// Every MXFP4 value under five scale bytes, decoded by the experts' kernels: the one expert's w1 and w3 pick channel t of
// token t, which SiTU-GLU saturates to 4 * 25, so token t gives 100 times column t of w2.
// REQUIRES: golden, compiler
// RUN: k3-compile %s -o %t.k3x --max-tokens=32 --max-seqs=1
// RUN: %python %S/ops.py mx_table %t.k3x %golden/ops/ops.safetensors %t

!z = tensor<?x96xf32>
!up = !k3.mx<32x96, e2m1>
!down = !k3.mx<96x32, e2m1>
module attributes {k3.version = 1 : i64} {
  k3.weight @w1[1] : !up from "experts.{e}.w1"
  k3.weight @w3[1] : !up from "experts.{e}.w3"
  k3.weight @w2[1] : !down from "experts.{e}.w2"
  k3.packed @packed.w13[1] : !k3.mx<64x96, e2m1> {
    %0 = k3.get @w1 : !up
    %1 = k3.get @w3 : !up
    %2 = k3.concat %0, %1 dim 0 : (!up, !up) -> !k3.mx<64x96, e2m1>
    k3.yield %2 : !k3.mx<64x96, e2m1>
  }
  k3.packed @packed.w2[1] : !down {
    %0 = k3.get @w2 : !down
    k3.yield %0 : !down
  }
  func.func @experts(%z: !z {k3.name = "z"}, %ids: tensor<?x1xi32> {k3.name = "ids"}, %w: tensor<?x1xf32> {k3.name = "w"}) -> (!z {k3.name = "y"}) {
    %y = k3.experts %z, %ids, %w, @packed.w13, @packed.w2 betas 4.0, 25.0 : !z, tensor<?x1xi32>, tensor<?x1xf32> -> !z
    return %y : !z
  }
}
