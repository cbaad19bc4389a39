// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

!h = tensor<?x192xf32>
k3.weight @query : tensor<192xf32> from "query"
k3.weight @norm : tensor<192xbf16> from "norm"
func.func @f(%b0: !h, %b1: !h, %p: !h, %z: !h) -> (!h, !h) {
  // CHECK: k3.attn_res [] %{{.*}}, @query eps 1.000000e-05 : [] tensor<?x192xf32> -> tensor<?x192xf32>
  %0 = k3.attn_res [] %p, @query eps 1.0e-5 : [] !h -> !h
  // CHECK: k3.attn_res [%{{.*}}, %{{.*}}] %{{.*}}, @query norm @norm eps
  %1 = k3.attn_res [%b0, %b1] %0, @query norm @norm eps 1.0e-5 : [!h, !h] !h -> !h
  // CHECK: %{{.*}}, %{{.*}} = k3.attn_res [%{{.*}}] %{{.*}} plus %{{.*}}, @query norm @norm eps {{.*}} : [tensor<?x192xf32>] tensor<?x192xf32> plus tensor<?x192xf32> -> tensor<?x192xf32>, tensor<?x192xf32>
  %2, %sum = k3.attn_res [%b0] %1 plus %z, @query norm @norm eps 1.0e-5 : [!h] !h plus !h -> !h, !h
  return %2, %sum : !h, !h
}
