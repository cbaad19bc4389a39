// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

// CHECK: k3.weight @embed : tensor<256x192xbf16> from "model.embed_tokens.weight"{{$}}
k3.weight @embed : tensor<256x192xbf16> from "model.embed_tokens.weight"
// CHECK: k3.weight @layers.0.A_log : tensor<128xf32> from "A_log" used 96 init "uniform(0, 1)"
k3.weight @layers.0.A_log : tensor<128xf32> from "A_log" used 96 init "uniform(0, 1)"
// CHECK: k3.weight @layers.1.w1[16] : !k3.mx<64x128, e2m1> from "experts.{e}.w1" init "mx(0.02)" shard <{{\[}}["ep"], []]>
k3.weight @layers.1.w1[16] : !k3.mx<64x128, e2m1> from "experts.{e}.w1" init "mx(0.02)" shard <[["ep"], []]>
// CHECK: k3.weight @half : tensor<4xf16> from "half"
k3.weight @half : tensor<4xf16> from "half"
// CHECK: k3.weight @fp8 : !k3.mx<4x64, e4m3, block 16> from "fp8"
k3.weight @fp8 : !k3.mx<4x64, e4m3, block 16> from "fp8"
