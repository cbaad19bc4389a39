//===- K3Ops.cpp - Generated definitions of the k3 ops --------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Ops.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace k3;

/// `[` types `]`, where no type at all is fine (the bank of the first attn_res is empty).
static ParseResult parseBracketedTypes(OpAsmParser &parser, SmallVectorImpl<Type> &types) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                        [&] { return parser.parseType(types.emplace_back()); });
}

static void printBracketedTypes(OpAsmPrinter &printer, Operation *, TypeRange types) {
  printer << "[";
  llvm::interleaveComma(types, printer);
  printer << "]";
}

#define GET_OP_CLASSES
#include "dialects/K3/K3Ops.cpp.inc"
