// Every kernel family at sizes that a CPU runs in seconds and that fill no tile.
!x = tensor<?x200xbf16>
!y = tensor<?x136xbf16>
!g = tensor<?x68xbf16>
!w = tensor<136x200xbf16>
!h = tensor<?x1032xbf16>
!v = tensor<1032xf32>
module attributes {k3.version = 1 : i64} {
  k3.weight @w : !w from "w" init "normal(0, 0.02)"
  k3.packed @packed.w : !w {
    %0 = k3.get @w : !w
    k3.yield %0 : !w
  }
  k3.weight @v : !v from "v" init "uniform(0.5, 1.5)"
  k3.packed @packed.v : !v {
    %0 = k3.get @v : !v
    k3.yield %0 : !v
  }
  func.func @plain(%x: !x {k3.name = "x"}) -> (!y {k3.name = "y"}) {
    %y = k3.linear %x, @packed.w : !x -> !y
    return %y : !y
  }
  func.func @residual(%x: !x {k3.name = "x"}, %r: !y {k3.name = "r"}) -> (!y {k3.name = "y"}) {
    %0 = k3.linear %x, @packed.w : !x -> !y
    %y = arith.addf %0, %r : !y
    return %y : !y
  }
  func.func @sigmoid_gate(%x: !x {k3.name = "x"}, %o: !y {k3.name = "o"}) -> (!y {k3.name = "y"}) {
    %0 = k3.linear %x, @packed.w : !x -> !y
    %y = k3.sigmoid_gate %o, %0 : !y
    return %y : !y
  }
  func.func @rms_norm(%x: !h {k3.name = "x"}) -> (!h {k3.name = "y"}) {
    %y = k3.rms_norm %x, @packed.v eps 1.0e-5 : !h -> !h
    return %y : !h
  }
  func.func @attn_res(%b0: !h {k3.name = "b0"}, %b1: !h {k3.name = "b1"}, %prefix: !h {k3.name = "prefix"}, %delta: !h {k3.name = "delta"})
      -> (!h {k3.name = "y"}, !h {k3.name = "p"}) {
    %y, %p = k3.attn_res [%b0, %b1] %prefix plus %delta, @packed.v norm @packed.v eps 1.0e-5 : [!h, !h] !h plus !h -> !h, !h
    return %y, %p : !h, !h
  }
}
