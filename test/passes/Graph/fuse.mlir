// RUN: k3-opt %s --k3-graph-fuse | FileCheck %s

!h = tensor<?x8xf32>
k3.packed @c : tensor<8xf32> { %0 = k3.get @w : tensor<8xf32>  k3.yield %0 : tensor<8xf32> }
k3.weight @w : tensor<8xf32> from "w"

// CHECK-LABEL: func.func @add_and_norm
func.func @add_and_norm(%b: !h, %p: !h, %z: !h) -> (!h, !h) {
  // CHECK-NEXT: %[[X:.*]], %[[P:.*]] = k3.attn_res [%{{.*}}] %{{.*}} plus %{{.*}}, @c norm @c eps 1.0{{.*}}e-05
  // CHECK-NEXT: return %[[X]], %[[P]]
  %p1 = arith.addf %p, %z : !h
  %m = k3.attn_res [%b] %p1, @c eps 1.0e-5 : [!h] !h -> !h
  %x = k3.rms_norm %m, @c eps 1.0e-5 : !h -> !h
  return %x, %p1 : !h, !h
}

// The mix has a second reader, so the norm stays.
// CHECK-LABEL: func.func @mix_is_read_twice
func.func @mix_is_read_twice(%b: !h, %p: !h) -> (!h, !h) {
  // CHECK: k3.attn_res [%{{.*}}] %{{.*}}, @c eps
  // CHECK: k3.rms_norm
  %m = k3.attn_res [%b] %p, @c eps 1.0e-5 : [!h] !h -> !h
  %x = k3.rms_norm %m, @c eps 1.0e-5 : !h -> !h
  return %x, %m : !h, !h
}

// Another eps is another norm.
// CHECK-LABEL: func.func @other_eps
func.func @other_eps(%b: !h, %p: !h) -> !h {
  // CHECK: k3.rms_norm
  %m = k3.attn_res [%b] %p, @c eps 1.0e-5 : [!h] !h -> !h
  %x = k3.rms_norm %m, @c eps 1.0e-6 : !h -> !h
  return %x : !h
}

// A sum that is read before the mix has to exist by then.
// CHECK-LABEL: func.func @read_before
func.func @read_before(%b: !h, %p: !h, %z: !h) -> (!h, !h) {
  // CHECK: arith.addf
  // CHECK: k3.l2_norm
  // CHECK: k3.attn_res [%{{.*}}] %{{.*}}, @c eps
  %p1 = arith.addf %p, %z : !h
  %y = k3.l2_norm %p1 eps 1.0e-6 scale 1.0 : !h -> !h
  %m = k3.attn_res [%b] %p1, @c eps 1.0e-5 : [!h] !h -> !h
  return %y, %m : !h, !h
}

// A tap between the add and the mix blocks the fusion.
// CHECK-LABEL: func.func @tapped
func.func @tapped(%b: !h, %p: !h, %z: !h) -> !h {
  // CHECK: arith.addf
  // CHECK: k3.tap "p"
  // CHECK: k3.attn_res [%{{.*}}] %{{.*}}, @c eps
  %p1 = arith.addf %p, %z : !h
  %t = k3.tap "p" %p1 : !h
  %m = k3.attn_res [%b] %t, @c eps 1.0e-5 : [!h] !h -> !h
  return %m : !h
}
