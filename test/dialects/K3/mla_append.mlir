// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

k3.weight @norm : tensor<512xbf16> from "norm"
k3.state @latent paged page 64 : tensor<576xf32>
func.func @f(%kv: tensor<?x576xf32>, %b: !k3.batch) {
  // CHECK: k3.mla_append %{{.*}} in %{{.*}}, @norm state @latent eps {{.*}} : tensor<?x576xf32>
  k3.mla_append %kv in %b, @norm state @latent eps 1.0e-6 : tensor<?x576xf32>
  return
}
