// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

!f = tensor<?xf32>
!i = tensor<?xi32>
func.func @f(%l: tensor<?x256xf32>, %t: !f, %p: !f, %seed: !i, %step: !i) -> !i {
  // CHECK: k3.sample %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x256xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>
  %ids = k3.sample %l, %t, %p, %seed, %step : tensor<?x256xf32>, !f, !f, !i, !i -> !i
  return %ids : !i
}
