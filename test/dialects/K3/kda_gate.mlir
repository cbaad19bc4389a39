// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

k3.weight @a_log : tensor<128xf32> from "A_log" used 2
k3.weight @dt_bias : tensor<256xf32> from "dt_bias"
func.func @f(%f: tensor<?x256xbf16>, %b: tensor<?x2xbf16>) -> (tensor<?x2x128xf32>, tensor<?x2xf32>) {
  // CHECK: k3.kda_gate %{{.*}}, %{{.*}}, @a_log, @dt_bias bound -5.000000e+00 : (tensor<?x256xbf16>, tensor<?x2xbf16>) -> (tensor<?x2x128xf32>, tensor<?x2xf32>)
  %g, %beta = k3.kda_gate %f, %b, @a_log, @dt_bias bound -5.0 : (tensor<?x256xbf16>, tensor<?x2xbf16>) -> (tensor<?x2x128xf32>, tensor<?x2xf32>)
  return %g, %beta : tensor<?x2x128xf32>, tensor<?x2xf32>
}
