// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

func.func @f(%o: tensor<?x256xbf16>, %gate: tensor<?x256xbf16>) -> tensor<?x256xbf16> {
  // CHECK: k3.sigmoid_gate %{{.*}}, %{{.*}} : tensor<?x256xbf16>
  %0 = k3.sigmoid_gate %o, %gate : tensor<?x256xbf16>
  return %0 : tensor<?x256xbf16>
}
