// RUN: k3-opt %s --k3-kernels-lower-to-exec=target=h200 --split-input-file --verify-diagnostics

func.func @softmax(%x: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  // expected-error @below {{'k3.l2_norm' op has no GPU kernel; GPU targets compile k3.linear}}
  %y = k3.l2_norm %x eps 1.0e-6 scale 1.0 : tensor<?x64xbf16> -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// -----

// expected-error @below {{function @f32: argument 0 is 'tensor<?x64xf32>', GPU targets compute on bf16}}
func.func @f32(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  return %x : tensor<?x64xf32>
}
