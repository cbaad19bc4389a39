// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

k3.weight @w : !k3.mx<4x32, e5m2> from "w"
k3.packed @p : !k3.mx<4x32, e5m2> {
  %0 = k3.get @w : !k3.mx<4x32, e5m2>
  // CHECK: k3.yield %{{.*}} : !k3.mx<4x32, e5m2>
  k3.yield %0 : !k3.mx<4x32, e5m2>
}
