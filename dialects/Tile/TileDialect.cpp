//===- TileDialect.cpp - The tile dialect: registration ---------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/TileDialect.h"
#include "dialects/Tile/TileVerify.h"

#include "mlir/IR/OpImplementation.h"

#include "llvm/ADT/StringExtras.h"

#include <tuple>

using namespace mlir;
using namespace k3::tile;

#include "dialects/Tile/TileDialect.cpp.inc"
#include "dialects/Tile/TileEnums.cpp.inc"
#include "dialects/Tile/TileInterfaces.cpp.inc"

namespace {

/// Layouts are printed once, by what they are: `acc 256` as #acc256, `sw128 128 64 2` as #sw128_128x64x2;
/// those without a name are #layout and #smem, numbered.
struct LayoutAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    StringRef text, unnamed;
    if (auto layout = dyn_cast<LayoutAttr>(attribute))
      std::tie(text, unnamed) = std::pair(layout.getText(), "layout");
    else if (auto smem = dyn_cast<SmemAttr>(attribute))
      std::tie(text, unnamed) = std::pair(smem.getText(), "smem");
    else
      return AliasResult::NoAlias;
    if (text.contains('[')) {
      os << unnamed;
      return AliasResult::OverridableAlias;
    }
    SmallVector<StringRef> words;
    text.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    os << words.front();
    for (auto [i, number] : llvm::enumerate(ArrayRef<StringRef>(words).drop_front()))
      os << (i ? "x" : llvm::isDigit(words.front().back()) ? "_" : "") << number;
    return AliasResult::OverridableAlias;
  }
};

} // namespace

void TileDialect::initialize() {
  addInterfaces<LayoutAliases, Proofs>();
  registerLayoutAttributes();
  registerTileTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Tile/TileOps.cpp.inc"
      >();
}
