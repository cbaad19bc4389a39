// SiTU-GLU with the constants of Kimi K3: columns 0..38 are gates, columns 39..77 the values they gate.
module {
  func.func @situ_glu(%x: tensor<?x78xf32> {k3.name = "x"}) -> (tensor<?x39xf32> {k3.name = "out"}) {
    %y = k3.situ_glu %x betas 4.0, 25.0 : tensor<?x78xf32> -> tensor<?x39xf32>
    return %y : tensor<?x39xf32>
  }
}
