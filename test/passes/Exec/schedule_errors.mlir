// RUN: k3-opt %s --pass-pipeline='builtin.module(exec.program(k3-exec-schedule))' -verify-diagnostics

k3.weight @f[4] : tensor<8x8xbf16> from "experts.{e}"
exec.program @members pack on "host" {
  %stage = exec.buffer staging "stage" bytes [256]
  %m = exec.members 4 slots 2 {
    %v = exec.view %stage at [0] dims [8, 8] : !exec.buffer -> bf16
    // expected-error @below {{'exec.fetch' op writes 'stage' at the same place for each member, but 2 members are in flight; use member or slot in its offset}}
    %f = exec.fetch @f "" -> %v : !exec.view<bf16>
  }
}
