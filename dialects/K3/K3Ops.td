//===- K3Ops.td - All ops of the k3 dialect -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_OPS
#define K3_OPS

include "dialects/K3/K3SymbolOps.td"
include "dialects/K3/K3LayerOps.td"
include "dialects/K3/K3CoreOps.td"

#endif // K3_OPS
