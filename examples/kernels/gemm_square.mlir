// The product by which matrix units are compared: 8192^3 with 8192 rows.
module attributes {k3.version = 1 : i64} {
  k3.weight @w_8192x8192 : tensor<8192x8192xbf16> from "w_8192x8192" init "normal(0, 0.02)"
  k3.packed @packed.w_8192x8192 : tensor<8192x8192xbf16> {
    %0 = k3.get @w_8192x8192 : tensor<8192x8192xbf16>
    k3.yield %0 : tensor<8192x8192xbf16>
  }
  func.func @gemm_8192x8192(%x: tensor<?x8192xbf16> {k3.name = "x"}) -> (tensor<?x8192xbf16> {k3.name = "y"}) {
    %y = k3.linear %x, @packed.w_8192x8192 : tensor<?x8192xbf16> -> tensor<?x8192xbf16>
    return %y : tensor<?x8192xbf16>
  }
}
