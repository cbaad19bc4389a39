// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

// CHECK: k3.state @layers.0.s recurrent : tensor<2x128x128xf32>
k3.state @layers.0.s recurrent : tensor<2x128x128xf32>
// CHECK: k3.state @layers.0.conv conv : tensor<3x768xbf16>
k3.state @layers.0.conv conv : tensor<3x768xbf16>
// CHECK: k3.state @layers.3.latent paged page 64 : tensor<576xf8E4M3FN>
k3.state @layers.3.latent paged page 64 : tensor<576xf8E4M3FN>
// CHECK: k3.state @t.s recurrent : tensor<1x128x128xf32> shard <{{\[}}["tp"], [], []]>
k3.state @t.s recurrent : tensor<1x128x128xf32> shard <[["tp"], [], []]>
