// RUN: k3-opt %s --k3-graph-insert-taps="regex=layer\.0\.(x|conv_state\.k)" | FileCheck %s
// RUN: not k3-opt %s --k3-graph-insert-taps="regex=nothing" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not k3-opt %s --k3-graph-insert-taps="regex=(" 2>&1 | FileCheck %s --check-prefix=BAD

// NONE: error: taps: 'nothing' matches no tensor; names are layer.0.x, layer.0.y, layer.0.conv_state.q
// BAD: error: taps: '(' is not a regular expression

!h = tensor<?x8xf32>
k3.state @layers.0.conv conv : tensor<3x24xf32>

// CHECK: func.func @step_part
// CHECK-SAME: k3.state_taps = [{columns = 8 : i64, first_column = 8 : i64, name = "layer.0.conv_state.k", state = @layers.0.conv}]
func.func @step_part(%a: !h) -> !h {
  // CHECK-NEXT: %[[X:.*]] = k3.l2_norm
  // CHECK-NEXT: %[[T:.*]] = k3.tap "layer.0.x" %[[X]]
  // CHECK-NEXT: k3.l2_norm %[[T]]
  %x = k3.l2_norm %a eps 1.0e-6 scale 1.0 : !h -> !h loc("layer.0.x")
  %y = k3.l2_norm %x eps 1.0e-6 scale 1.0 : !h -> !h loc("layer.0.y")
  // CHECK-NEXT: return
  return %y : !h
}
