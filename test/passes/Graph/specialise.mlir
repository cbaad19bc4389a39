// RUN: k3-opt %s --k3-graph-specialise | FileCheck %s

// @step becomes a decode clone with the recurrent and absorbed forms and a ragged clone that chooses by sequence.

!i = tensor<?xi32>
!c = tensor<?x2x128xf32>
k3.state @s recurrent : tensor<2x128x128xf32>

// CHECK-NOT: func.func @step(
// CHECK: func.func @step_decode({{.*}}attributes {k3.variant = "decode"}
// CHECK: k3.kda_core {{.*}} state @s {form = {{.*}}recurrent{{.*}}}
// CHECK: func.func @step_ragged({{.*}}attributes {k3.variant = "ragged"}
// CHECK: k3.kda_core {{.*}} state @s :
func.func @step(%q: !c, %g: !c, %beta: tensor<?x2xf32>, %b: !k3.batch) -> !c {
  %o = k3.kda_core %q, %q, %q, %g, %beta in %b state @s : !c, !c, !c, !c, tensor<?x2xf32> -> !c
  return %o : !c
}
