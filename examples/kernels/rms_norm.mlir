// RMSNorm of the model's width.
!h = tensor<?x7168xbf16>
!w = tensor<7168xf32>
module attributes {k3.version = 1 : i64} {
  k3.weight @norm : !w from "norm" init "uniform(0.5, 1.5)"
  k3.packed @packed.norm : !w {
    %0 = k3.get @norm : !w
    k3.yield %0 : !w
  }
  func.func @rms_norm_7168(%x: !h {k3.name = "x"}) -> (!h {k3.name = "y"}) {
    %y = k3.rms_norm %x, @packed.norm eps 1.0e-5 : !h -> !h
    return %y : !h
  }
}
