// RUN: k3-opt %s --verify-roundtrip | k3-opt | FileCheck %s

!c = tensor<?x2x128xf32>
!s = tensor<?x2xf32>
k3.state @s recurrent : tensor<2x128x128xf32>
func.func @auto(%q: !c, %g: !c, %beta: !s, %b: !k3.batch) -> !c {
  // CHECK: k3.kda_core %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} in %{{.*}} state @s : tensor<?x2x128xf32>
  %o = k3.kda_core %q, %q, %q, %g, %beta in %b state @s : !c, !c, !c, !c, !s -> !c
  return %o : !c
}
func.func @chunked(%q: !c, %g: !c, %beta: !s, %b: !k3.batch) -> !c {
  // CHECK: state @s {chunk = 8 : i64, form = #k3<kda_form chunked>} :
  %o = k3.kda_core %q, %q, %q, %g, %beta in %b state @s {form = #k3<kda_form chunked>, chunk = 8 : i64} : !c, !c, !c, !c, !s -> !c
  return %o : !c
}
func.func @step_decode_part(%q: !c, %g: !c, %beta: !s, %b: !k3.batch) -> !c attributes {k3.variant = "decode"} {
  // CHECK: state @s {form = #k3<kda_form recurrent>} :
  %o = k3.kda_core %q, %q, %q, %g, %beta in %b state @s {form = #k3<kda_form recurrent>} : !c, !c, !c, !c, !s -> !c
  return %o : !c
}
