// RUN: k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-assign-warps))' | FileCheck %s

// Roles with a budget are padded to warpgroups: 24 x 128 + 240 x 256 = 64512 = 168 x 384.
// CHECK-LABEL: tile.kernel @padded
// CHECK-SAME: threads = 384
tile.kernel @padded() {
  tile.roles {
    // CHECK: "load" warps 1 regs 24 at_warp 0
    tile.role "load" warps 1 regs 24 (%i) {}
    // CHECK: "math" instances 2 warps 4 regs 240 at_warp 4
    tile.role "math" instances 2 warps 4 regs 240 (%i) {}
  }
  tile.return
}

// Without budgets roles stand side by side.
// CHECK-LABEL: tile.kernel @dense
// CHECK-SAME: threads = 480
tile.kernel @dense() {
  tile.roles {
    // CHECK: "copy" warps 1 at_warp 0
    tile.role "copy" warps 1 (%i) {}
    // CHECK: "mix" instances 2 warps 7 at_warp 1
    tile.role "mix" instances 2 warps 7 (%i) {}
  }
  tile.return
}

// A role with wgmma is a warpgroup; the last role fills the gap of none.
// CHECK-LABEL: tile.kernel @aligned
// CHECK-SAME: threads = 320
tile.kernel @aligned() {
  tile.roles {
    // CHECK: "copy" warps 1 at_warp 0
    tile.role "copy" warps 1 (%i) {}
    // CHECK: "math" warps 4 at_warp 4
    tile.role "math" warps 4 (%i) { tile.wgmma_commit }
    // CHECK: "store" warps 2 at_warp 8
    tile.role "store" warps 2 (%i) {}
  }
  tile.return
}

// Warps without a budget keep the 128 of the entry: 1 x 128 x 128 + 24 x 128 + 2 x 128 x 176 <= 65536. A kernel with budgets ends
// with a whole warpgroup.
// CHECK-LABEL: tile.kernel @mixed
// CHECK-SAME: threads = 512
tile.kernel @mixed() {
  tile.roles {
    tile.role "load" warps 1 regs 24 (%i) {}
    tile.role "math" instances 2 warps 4 regs 176 (%i) {}
    // CHECK: "store" warps 2 at_warp 12
    tile.role "store" warps 2 (%i) {}
  }
  tile.return
}
