// RUN: k3-opt %s --pass-pipeline='builtin.module(tile.kernel(k3-tile-insert-fences{verify-only}))' -split-input-file -verify-diagnostics

#s = #tile.smem<sw128 64 64 2>
#acc = #tile.layout<acc 64>
tile.kernel @staging(%td: !tile.map<64x64xbf16, swizzle 128> {tile.describes = 1 : i64}, %d: !tile.view<?x512xbf16> {tile.role = #tile.arg_role<step_out>}) {
  %S = tile.alloc "s" : !tile.shared<64x64xbf16, #s>
  %c0 = arith.constant 0 : i32
  tile.roles {
    tile.role "math" warps 4 (%i) {
      %v = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
      tile.stmatrix %v -> %S : tensor<64x64xbf16, #acc> -> !tile.shared<64x64xbf16, #s>
      tile.team_sync
      tile.elect {
        // expected-error-re @below {{kernel 'staging': tile.fence_proxy<shared> missing between tile.stmatrix at insert-fences_errors.mlir:{{[0-9:]+}} and tile.map_store at insert-fences_errors.mlir:{{[0-9:]+}}}}
        tile.map_store %S -> %td[%c0, %c0] : !tile.shared<64x64xbf16, #s> -> !tile.map<64x64xbf16, swizzle 128>
      }
    }
  }
  tile.return
}

// -----

// The fence is on one way only.
#s = #tile.smem<sw128 64 64 2>
#acc = #tile.layout<acc 64>
tile.kernel @operand(%some: i32) {
  %S = tile.alloc "s" : !tile.shared<64x64xbf16, #s>
  %c0 = arith.constant 0 : i32
  tile.roles {
    tile.role "math" warps 4 (%i) {
      %v = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
      tile.stmatrix %v -> %S : tensor<64x64xbf16, #acc> -> !tile.shared<64x64xbf16, #s>
      %is = arith.cmpi eq, %some, %c0 : i32
      scf.if %is {
        tile.fence_proxy<shared>
      }
      tile.team_sync
      // expected-error-re @below {{tile.fence_proxy<shared> missing between tile.stmatrix at insert-fences_errors.mlir:{{[0-9:]+}} and tile.wgmma at insert-fences_errors.mlir:{{[0-9:]+}}}}
      %p = tile.wgmma %S, %S : !tile.shared<64x64xbf16, #s>, !tile.shared<64x64xbf16, #s> -> !tile.pending<tensor<64x64xf32, #acc>>
      tile.wgmma_commit
    }
  }
  tile.return
}

// -----

#s = #tile.smem<sw128 64 64 2>
#acc = #tile.layout<acc 64>
tile.kernel @registers(%n: i32) {
  %S = tile.alloc "s" : !tile.shared<64x64xbf16, #s>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.roles {
    tile.role "math" warps 4 (%i) {
      %a = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
      // expected-error-re @below {{kernel 'registers': tile.wgmma_fence missing between arith.constant at insert-fences_errors.mlir:{{[0-9:]+}} and tile.wgmma at insert-fences_errors.mlir:{{[0-9:]+}}, which takes it as operand A}}
      %p = tile.wgmma %a, %S : tensor<64x64xbf16, #acc>, !tile.shared<64x64xbf16, #s> -> !tile.pending<tensor<64x64xf32, #acc>>
      tile.wgmma_commit
      // expected-error-re @below {{kernel 'registers': keep missing: tile.wgmma at insert-fences_errors.mlir:{{[0-9:]+}} reads its operand A until tile.wgmma_wait at insert-fences_errors.mlir:{{[0-9:]+}}}}
      %t = tile.wgmma_wait 0 (%p : !tile.pending<tensor<64x64xf32, #acc>>) : tensor<64x64xf32, #acc>
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %t) -> (tensor<64x64xf32, #acc>) : i32 {
        // expected-error-re @below {{tile.wgmma_fence missing between the loop at insert-fences_errors.mlir:{{[0-9:]+}} and tile.wgmma at insert-fences_errors.mlir:{{[0-9:]+}}, which takes it as accumulator}}
        %q = tile.wgmma %S, %S, %acc : !tile.shared<64x64xbf16, #s>, !tile.shared<64x64xbf16, #s>, tensor<64x64xf32, #acc> -> !tile.pending<tensor<64x64xf32, #acc>>
        tile.wgmma_commit
        %r = tile.wgmma_wait 0 (%q : !tile.pending<tensor<64x64xf32, #acc>>) : tensor<64x64xf32, #acc>
        scf.yield %r : tensor<64x64xf32, #acc>
      }
    }
  }
  tile.return
}

// -----

#row = #tile.smem<row_major 1 256 4>
#rows = #tile.layout<rows 4 256 2>
tile.kernel @across(%x: !tile.view<?x256xf32> {tile.role = #tile.arg_role<step_out>}, %flag: !tile.view<16xi32>, %n: i32) attributes {resident = 2 : i64} {
  %row = tile.alloc "row" : !tile.shared<1x256xf32, #row>
  %full = tile.mbar_alloc "full" : !tile.mbar<1, arrivals = 1>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.roles {
    tile.role "both" warps 2 (%i) {
      %v = arith.constant dense<1.0> : tensor<256xf32, #rows>
      tile.store %v -> %x[%c0, %c0] : tensor<256xf32, #rows> -> !tile.view<?x256xf32>
      tile.signal %flag[%c0] add %c1 : !tile.view<16xi32>
      tile.await %flag[%c0] ge %n : !tile.view<16xi32>
      %p = tile.cursor : !tile.cursor<1>
      tile.elect {
        tile.mbar_expect %full[%p] bytes 1024 : !tile.mbar<1, arrivals = 1>, !tile.cursor<1>
        // expected-error-re @below {{kernel 'across': tile.fence_proxy<global> missing between tile.await at insert-fences_errors.mlir:{{[0-9:]+}} and tile.bulk_load at insert-fences_errors.mlir:{{[0-9:]+}}}}
        tile.bulk_load %x[%c1, %c0] -> %row on %full[%p] : !tile.view<?x256xf32> -> !tile.shared<1x256xf32, #row>, !tile.mbar<1, arrivals = 1>, !tile.cursor<1>
      }
    }
  }
  tile.return
}
