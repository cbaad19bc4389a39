//===- TileAttrs.cpp - Layout attributes: storage and text ------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/TileDialect.h"

#include "lib/Layout/Text.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

//===----------------------------------------------------------------------===//
// Storage: the canonical text is the key, the layout is kept parsed
//===----------------------------------------------------------------------===//

namespace k3::tile::detail {

template <typename Layout, Expected<Layout> (*parseLayout)(std::string_view)>
struct TextStorage : AttributeStorage {
  using KeyTy = StringRef;
  TextStorage(StringRef text, Layout layout) : text(text), layout(std::move(layout)) {}
  bool operator==(const KeyTy &key) const { return key == text; }
  static llvm::hash_code hashKey(const KeyTy &key) { return llvm::hash_value(key); }

  template <typename Storage>
  static Storage *make(AttributeStorageAllocator &allocator, StringRef key) {
    // The key was printed from a valid layout.
    return new (allocator.allocate<Storage>()) Storage(allocator.copyInto(key), std::move(*parseLayout(key)));
  }

  StringRef text;
  Layout layout;
};

struct LayoutAttrStorage : TextStorage<layout::RegLayout, layout::parseRegLayout> {
  using TextStorage::TextStorage;
  static LayoutAttrStorage *construct(AttributeStorageAllocator &allocator, const KeyTy &key) {
    return make<LayoutAttrStorage>(allocator, key);
  }
};

struct SmemAttrStorage : TextStorage<layout::SharedLayout, layout::parseSharedLayout> {
  using TextStorage::TextStorage;
  static SmemAttrStorage *construct(AttributeStorageAllocator &allocator, const KeyTy &key) {
    return make<SmemAttrStorage>(allocator, key);
  }
};

} // namespace k3::tile::detail

#define GET_ATTRDEF_CLASSES
#include "dialects/Tile/TileAttrs.cpp.inc"

void TileDialect::registerLayoutAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Tile/TileAttrs.cpp.inc"
      >();
}

LayoutAttr LayoutAttr::get(MLIRContext *context, const layout::RegLayout &layout) {
  return Base::get(context, StringRef(layout::print(layout)));
}
const layout::RegLayout &LayoutAttr::getLayout() const { return getImpl()->layout; }
StringRef LayoutAttr::getText() const { return getImpl()->text; }

SmemAttr SmemAttr::get(MLIRContext *context, const layout::SharedLayout &layout) {
  return Base::get(context, StringRef(layout::print(layout)));
}
const layout::SharedLayout &SmemAttr::getLayout() const { return getImpl()->layout; }
StringRef SmemAttr::getText() const { return getImpl()->text; }

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The attribute of the text between the angle brackets. The dialect's parser has read the whole symbol
/// already and goes on behind it, so nothing is consumed here.
template <typename AttrT, typename Parse>
static Attribute parseText(AsmParser &parser, StringRef mnemonic, Parse parse) {
  StringRef spec = static_cast<DialectAsmParser &>(parser).getFullSymbolSpec();
  if (!spec.consume_front(mnemonic) || !spec.consume_front("<") || !spec.consume_back(">")) {
    parser.emitError(parser.getNameLoc()) << "'" << mnemonic << "' is followed by <a layout>";
    return {};
  }
  auto layout = parse(std::string_view(spec.trim()));
  if (!layout) {
    parser.emitError(parser.getNameLoc()) << layout.status().text();
    return {};
  }
  return AttrT::get(parser.getContext(), *layout);
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  return parseText<LayoutAttr>(parser, getMnemonic(), layout::parseRegLayout);
}
void LayoutAttr::print(AsmPrinter &printer) const { printer << "<" << getText() << ">"; }

Attribute SmemAttr::parse(AsmParser &parser, Type) {
  return parseText<SmemAttr>(parser, getMnemonic(), layout::parseSharedLayout);
}
void SmemAttr::print(AsmPrinter &printer) const { printer << "<" << getText() << ">"; }

bool k3::tile::isTile(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<LayoutAttr>(tensor.getEncoding());
}

RankedTensorType k3::tile::tileType(const layout::RegLayout &layout, Type element) {
  SmallVector<int64_t> shape(layout.shape().begin(), layout.shape().end());
  return RankedTensorType::get(shape, element, LayoutAttr::get(element.getContext(), layout));
}
