// One routed MXFP4 expert of width 512 in a latent of 512, decoded inside the kernel.
!z = tensor<?x512xf32>
module {
  k3.weight @w1[1] : !k3.mx<512x512, e2m1> from "experts.{e}.w1" init "mx(0.04)"
  k3.weight @w2[1] : !k3.mx<512x512, e2m1> from "experts.{e}.w2" init "mx(0.04)"
  k3.weight @w3[1] : !k3.mx<512x512, e2m1> from "experts.{e}.w3" init "mx(0.04)"
  k3.packed @w13[1] : !k3.mx<1024x512, e2m1> {
    %gate = k3.get @w1 : !k3.mx<512x512, e2m1>
    %up = k3.get @w3 : !k3.mx<512x512, e2m1>
    %both = k3.concat %gate, %up dim 0 : (!k3.mx<512x512, e2m1>, !k3.mx<512x512, e2m1>) -> !k3.mx<1024x512, e2m1>
    k3.yield %both : !k3.mx<1024x512, e2m1>
  }

  func.func @experts(%z: !z {k3.name = "z"}, %ids: tensor<?x1xi32> {k3.name = "ids"},
                     %weights: tensor<?x1xf32> {k3.name = "weights"}) -> (!z {k3.name = "out"}) {
    %y = k3.experts %z, %ids, %weights, @w13, @w2 betas 4.0, 25.0 : !z, tensor<?x1xi32>, tensor<?x1xf32> -> !z
    return %y : !z
  }
}
