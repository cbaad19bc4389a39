// RUN: k3-opt %s -split-input-file -verify-diagnostics

module attributes {k3.mesh = #k3.mesh<pp = 1, dp = 1, tp = 2, ep = 1, cp = 1>} {
  func.func @pack(%a: tensor<255x192xbf16>) {
    // expected-error@+1 {{dimension 0 (255) is not divisible by tp = 2}}
    %0 = k3.rank_slice %a dim 0 over "tp" : tensor<255x192xbf16> -> tensor<127x192xbf16>
    return
  }
}

// -----

module attributes {k3.mesh = #k3.mesh<pp = 1, dp = 1, tp = 2, ep = 1, cp = 1>} {
  func.func @pack(%a: tensor<256x192xbf16>) {
    // expected-error@+1 {{dimension 0 of the result is 64, expected 256 / 2 = 128}}
    %0 = k3.rank_slice %a dim 0 over "tp" : tensor<256x192xbf16> -> tensor<64x192xbf16>
    return
  }
}

// -----

func.func @pack(%a: tensor<256x192xbf16>) {
  // expected-error@+1 {{axis 'x' is not in the mesh}}
  %0 = k3.rank_slice %a dim 0 over "x" : tensor<256x192xbf16> -> tensor<256x192xbf16>
  return
}
