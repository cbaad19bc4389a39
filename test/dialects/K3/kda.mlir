// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

!h = tensor<?x192xf32>
k3.weight @q : tensor<256x192xbf16> from "q"
k3.weight @k : tensor<256x192xbf16> from "k"
k3.weight @v : tensor<256x192xbf16> from "v"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @f_a : tensor<128x192xbf16> from "f_a"
k3.weight @f_b : tensor<256x128xbf16> from "f_b"
k3.weight @b : tensor<2x192xbf16> from "b"
k3.weight @conv_q : tensor<256x1x4xf32> from "conv_q"
k3.weight @conv_k : tensor<256x1x4xf32> from "conv_k"
k3.weight @conv_v : tensor<256x1x4xf32> from "conv_v"
k3.weight @a_log : tensor<128xf32> from "a_log" used 2
k3.weight @dt_bias : tensor<256xf32> from "dt_bias"
k3.weight @o_norm : tensor<128xf32> from "o_norm"
k3.weight @o : tensor<192x256xbf16> from "o"
k3.state @s recurrent : tensor<2x128x128xf32>
k3.state @conv conv : tensor<3x768xf32>
func.func @f(%x: !h, %b: !k3.batch) -> !h {
  // CHECK: k3.kda %{{.*}} in %{{.*}} weights {a_log = @a_log, b = @b, conv_k = @conv_k, {{.*}}} state {conv = @conv, s = @s} heads 2 x 128 bound -5.000000e+00 eps 1.000000e-05 : tensor<?x192xf32> -> tensor<?x192xf32>
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  return %0 : !h
}
