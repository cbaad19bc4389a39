// Products with an epilogue: added to a residual, SiTU-GLU over gate and up, gating another tensor.
module attributes {k3.version = 1 : i64} {
  k3.weight @w : tensor<12288x7168xbf16> from "w" init "normal(0, 0.02)"
  k3.packed @packed.w : tensor<12288x7168xbf16> {
    %0 = k3.get @w : tensor<12288x7168xbf16>
    k3.yield %0 : tensor<12288x7168xbf16>
  }
  func.func @plain(%x: tensor<?x7168xbf16> {k3.name = "x"}) -> (tensor<?x12288xbf16> {k3.name = "y"}) {
    %y = k3.linear %x, @packed.w : tensor<?x7168xbf16> -> tensor<?x12288xbf16>
    return %y : tensor<?x12288xbf16>
  }
  func.func @residual(%x: tensor<?x7168xbf16> {k3.name = "x"}, %r: tensor<?x12288xbf16> {k3.name = "r"}) -> (tensor<?x12288xbf16> {k3.name = "y"}) {
    %0 = k3.linear %x, @packed.w : tensor<?x7168xbf16> -> tensor<?x12288xbf16>
    %y = arith.addf %0, %r : tensor<?x12288xbf16>
    return %y : tensor<?x12288xbf16>
  }
  func.func @situ_glu(%x: tensor<?x7168xbf16> {k3.name = "x"}) -> (tensor<?x6144xbf16> {k3.name = "y"}) {
    %0 = k3.linear %x, @packed.w : tensor<?x7168xbf16> -> tensor<?x12288xbf16>
    %y = k3.situ_glu %0 betas 4.0, 25.0 : tensor<?x12288xbf16> -> tensor<?x6144xbf16>
    return %y : tensor<?x6144xbf16>
  }
  func.func @sigmoid_gate(%x: tensor<?x7168xbf16> {k3.name = "x"}, %o: tensor<?x12288xbf16> {k3.name = "o"}) -> (tensor<?x12288xbf16> {k3.name = "y"}) {
    %0 = k3.linear %x, @packed.w : tensor<?x7168xbf16> -> tensor<?x12288xbf16>
    %y = k3.sigmoid_gate %o, %0 : tensor<?x12288xbf16>
    return %y : tensor<?x12288xbf16>
  }
}
