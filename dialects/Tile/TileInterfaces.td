//===- TileInterfaces.td - What passes ask of tile ops -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_TILE_INTERFACES
#define K3_TILE_INTERFACES

include "mlir/IR/OpBase.td"

def Tile_ArchOpInterface : OpInterface<"ArchOpInterface"> {
  let cppNamespace = "::k3::tile";
  let description = [{
    Which instruction families an op needs. An op without this interface is on every architecture. Lower never turns one
    family into another, so the answer of an op is what the kernel will execute.
  }];
  let methods = [
    InterfaceMethod<"The features of lib/Arch that the op's instructions need.",
      "::llvm::SmallVector<::k3::arch::Feature>", "getRequiredFeatures", (ins)>
  ];
}

def Tile_MemoryOpInterface : OpInterface<"MemoryOpInterface"> {
  let cppNamespace = "::k3::tile";
  let description = [{
    What an op reads and writes in shared and global memory, through which proxy, and how its end is observed. Fences,
    reuse of shared memory, the argument rule and the Emulator's checks are decided by these answers alone.
  }];
  let methods = [
    InterfaceMethod<"Appends every access of the op.",
      "void", "getAccesses", (ins "::llvm::SmallVectorImpl<::k3::tile::MemoryAccess> &":$accesses)>
  ];
}

#endif // K3_TILE_INTERFACES
