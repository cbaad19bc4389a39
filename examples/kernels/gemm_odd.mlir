// Sizes that fill no tile: K no multiple of any tile's depth, N odd to every tile's width.
module attributes {k3.version = 1 : i64} {
  k3.weight @w_136x72 : tensor<136x72xbf16> from "w_136x72" init "normal(0, 0.02)"
  k3.packed @packed.w_136x72 : tensor<136x72xbf16> {
    %0 = k3.get @w_136x72 : tensor<136x72xbf16>
    k3.yield %0 : tensor<136x72xbf16>
  }
  func.func @gemm_136x72(%x: tensor<?x72xbf16> {k3.name = "x"}) -> (tensor<?x136xbf16> {k3.name = "y"}) {
    %y = k3.linear %x, @packed.w_136x72 : tensor<?x72xbf16> -> tensor<?x136xbf16>
    return %y : tensor<?x136xbf16>
  }

  k3.weight @w_264x1000 : tensor<264x1000xbf16> from "w_264x1000" init "normal(0, 0.02)"
  k3.packed @packed.w_264x1000 : tensor<264x1000xbf16> {
    %0 = k3.get @w_264x1000 : tensor<264x1000xbf16>
    k3.yield %0 : tensor<264x1000xbf16>
  }
  func.func @gemm_264x1000(%x: tensor<?x1000xbf16> {k3.name = "x"}) -> (tensor<?x264xbf16> {k3.name = "y"}) {
    %y = k3.linear %x, @packed.w_264x1000 : tensor<?x1000xbf16> -> tensor<?x264xbf16>
    return %y : tensor<?x264xbf16>
  }

  k3.weight @w_1000x328 : tensor<1000x328xbf16> from "w_1000x328" init "normal(0, 0.02)"
  k3.packed @packed.w_1000x328 : tensor<1000x328xbf16> {
    %0 = k3.get @w_1000x328 : tensor<1000x328xbf16>
    k3.yield %0 : tensor<1000x328xbf16>
  }
  func.func @gemm_1000x328(%x: tensor<?x328xbf16> {k3.name = "x"}) -> (tensor<?x1000xbf16> {k3.name = "y"}) {
    %y = k3.linear %x, @packed.w_1000x328 : tensor<?x328xbf16> -> tensor<?x1000xbf16>
    return %y : tensor<?x1000xbf16>
  }

  k3.weight @w_2056x520 : tensor<2056x520xbf16> from "w_2056x520" init "normal(0, 0.02)"
  k3.packed @packed.w_2056x520 : tensor<2056x520xbf16> {
    %0 = k3.get @w_2056x520 : tensor<2056x520xbf16>
    k3.yield %0 : tensor<2056x520xbf16>
  }
  func.func @gemm_2056x520(%x: tensor<?x520xbf16> {k3.name = "x"}) -> (tensor<?x2056xbf16> {k3.name = "y"}) {
    %y = k3.linear %x, @packed.w_2056x520 : tensor<?x520xbf16> -> tensor<?x2056xbf16>
    return %y : tensor<?x2056xbf16>
  }
}
