// Products of the model's layers, y [T, N] = x [T, K] w^T: what k3-bench checks and times from one row to 8192.
module attributes {k3.version = 1 : i64} {
  k3.weight @w_49376x7168 : tensor<49376x7168xbf16> from "w_49376x7168" init "normal(0, 0.02)"
  k3.packed @packed.w_49376x7168 : tensor<49376x7168xbf16> {
    %0 = k3.get @w_49376x7168 : tensor<49376x7168xbf16>
    k3.yield %0 : tensor<49376x7168xbf16>
  }
  func.func @gemm_49376x7168(%x: tensor<?x7168xbf16> {k3.name = "x"}) -> (tensor<?x49376xbf16> {k3.name = "y"}) {
    %y = k3.linear %x, @packed.w_49376x7168 : tensor<?x7168xbf16> -> tensor<?x49376xbf16>
    return %y : tensor<?x49376xbf16>
  }

  k3.weight @w_7168x12288 : tensor<7168x12288xbf16> from "w_7168x12288" init "normal(0, 0.02)"
  k3.packed @packed.w_7168x12288 : tensor<7168x12288xbf16> {
    %0 = k3.get @w_7168x12288 : tensor<7168x12288xbf16>
    k3.yield %0 : tensor<7168x12288xbf16>
  }
  func.func @gemm_7168x12288(%x: tensor<?x12288xbf16> {k3.name = "x"}) -> (tensor<?x7168xbf16> {k3.name = "y"}) {
    %y = k3.linear %x, @packed.w_7168x12288 : tensor<?x12288xbf16> -> tensor<?x7168xbf16>
    return %y : tensor<?x7168xbf16>
  }

  k3.weight @w_18432x1536 : tensor<18432x1536xbf16> from "w_18432x1536" init "normal(0, 0.02)"
  k3.packed @packed.w_18432x1536 : tensor<18432x1536xbf16> {
    %0 = k3.get @w_18432x1536 : tensor<18432x1536xbf16>
    k3.yield %0 : tensor<18432x1536xbf16>
  }
  func.func @gemm_18432x1536(%x: tensor<?x1536xbf16> {k3.name = "x"}) -> (tensor<?x18432xbf16> {k3.name = "y"}) {
    %y = k3.linear %x, @packed.w_18432x1536 : tensor<?x1536xbf16> -> tensor<?x18432xbf16>
    return %y : tensor<?x18432xbf16>
  }

  k3.weight @w_2112x7168 : tensor<2112x7168xbf16> from "w_2112x7168" init "normal(0, 0.02)"
  k3.packed @packed.w_2112x7168 : tensor<2112x7168xbf16> {
    %0 = k3.get @w_2112x7168 : tensor<2112x7168xbf16>
    k3.yield %0 : tensor<2112x7168xbf16>
  }
  func.func @gemm_2112x7168(%x: tensor<?x7168xbf16> {k3.name = "x"}) -> (tensor<?x2112xbf16> {k3.name = "y"}) {
    %y = k3.linear %x, @packed.w_2112x7168 : tensor<?x7168xbf16> -> tensor<?x2112xbf16>
    return %y : tensor<?x2112xbf16>
  }

  k3.weight @w_12288x7168 : tensor<12288x7168xbf16> from "w_12288x7168" init "normal(0, 0.02)"
  k3.packed @packed.w_12288x7168 : tensor<12288x7168xbf16> {
    %0 = k3.get @w_12288x7168 : tensor<12288x7168xbf16>
    k3.yield %0 : tensor<12288x7168xbf16>
  }
  func.func @gemm_12288x7168(%x: tensor<?x7168xbf16> {k3.name = "x"}) -> (tensor<?x12288xbf16> {k3.name = "y"}) {
    %y = k3.linear %x, @packed.w_12288x7168 : tensor<?x7168xbf16> -> tensor<?x12288xbf16>
    return %y : tensor<?x12288xbf16>
  }

  k3.weight @w_33792x7168 : tensor<33792x7168xbf16> from "w_33792x7168" init "normal(0, 0.02)"
  k3.packed @packed.w_33792x7168 : tensor<33792x7168xbf16> {
    %0 = k3.get @w_33792x7168 : tensor<33792x7168xbf16>
    k3.yield %0 : tensor<33792x7168xbf16>
  }
  func.func @gemm_33792x7168(%x: tensor<?x7168xbf16> {k3.name = "x"}) -> (tensor<?x33792xbf16> {k3.name = "y"}) {
    %y = k3.linear %x, @packed.w_33792x7168 : tensor<?x7168xbf16> -> tensor<?x33792xbf16>
    return %y : tensor<?x33792xbf16>
  }
}
