//===- SymbolMap.cpp - Expressions over launch-time symbols --------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Exec/SymbolMap.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace k3::exec;

StringRef k3::exec::launchSymbolName(LaunchSymbol symbol) {
  static constexpr StringLiteral names[] = {"T", "S", "R", "C", "SM", "member", "slot", "N", "M"};
  return names[static_cast<unsigned>(symbol)];
}

std::optional<LaunchSymbol> k3::exec::parseLaunchSymbol(StringRef name) {
  for (unsigned i = 0; i < launchSymbolCount; ++i)
    if (launchSymbolName(static_cast<LaunchSymbol>(i)) == name)
      return static_cast<LaunchSymbol>(i);
  return std::nullopt;
}

AffineExpr k3::exec::symbolExpr(MLIRContext *context, LaunchSymbol symbol) {
  return getAffineSymbolExpr(static_cast<unsigned>(symbol), context);
}

AffineMap k3::exec::symbolMap(MLIRContext *context, ArrayRef<AffineExpr> results) {
  return AffineMap::get(0, launchSymbolCount, results, context);
}

AffineMap k3::exec::constantMap(MLIRContext *context, ArrayRef<int64_t> values) {
  SmallVector<AffineExpr> results;
  for (int64_t value : values)
    results.push_back(getAffineConstantExpr(value, context));
  return symbolMap(context, results);
}

AffineMap k3::exec::rowsMap(MLIRContext *context, LaunchSymbol rows, ArrayRef<int64_t> extents) {
  SmallVector<AffineExpr> results = {symbolExpr(context, rows)};
  for (int64_t extent : extents)
    results.push_back(getAffineConstantExpr(extent, context));
  return symbolMap(context, results);
}

bool k3::exec::isSymbolMap(Attribute attribute) {
  auto map = dyn_cast<AffineMapAttr>(attribute);
  return map && map.getValue().getNumDims() == 0 && map.getValue().getNumSymbols() == launchSymbolCount;
}

std::optional<int64_t> k3::exec::evaluate(AffineExpr expression, const SymbolAssignment &symbols) {
  SmallVector<AffineExpr> values;
  for (unsigned i = 0; i < launchSymbolCount; ++i)
    values.push_back(symbols[i] ? getAffineConstantExpr(*symbols[i], expression.getContext())
                                : getAffineSymbolExpr(i, expression.getContext()));
  auto constant = dyn_cast<AffineConstantExpr>(expression.replaceSymbols(values));
  return constant ? std::optional<int64_t>(constant.getValue()) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Parentheses around sums that are operands of a product or quotient, nowhere else.
static void printExpr(raw_ostream &os, AffineExpr expression, bool operand) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression)) {
    os << constant.getValue();
    return;
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression)) {
    os << launchSymbolName(static_cast<LaunchSymbol>(symbol.getPosition()));
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expression);
  bool sum = expression.getKind() == AffineExprKind::Add;
  if (operand)
    os << '(';
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (sum && constant && constant.getValue() < 0) {
    printExpr(os, binary.getLHS(), false);
    os << " - " << -constant.getValue();
  } else {
    printExpr(os, binary.getLHS(), !sum && isa<AffineBinaryOpExpr>(binary.getLHS()));
    switch (expression.getKind()) {
    case AffineExprKind::Add:
      os << " + ";
      break;
    case AffineExprKind::Mul:
      os << " * ";
      break;
    case AffineExprKind::FloorDiv:
      os << " floordiv ";
      break;
    case AffineExprKind::CeilDiv:
      os << " ceildiv ";
      break;
    default:
      os << " mod ";
      break;
    }
    printExpr(os, binary.getRHS(), !sum && isa<AffineBinaryOpExpr>(binary.getRHS()));
  }
  if (operand)
    os << ')';
}

std::string k3::exec::exprText(AffineExpr expression) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printExpr(os, expression, false);
  return text;
}

static FailureOr<AffineExpr> parseSum(OpAsmParser &parser);

static FailureOr<AffineExpr> parseFactor(OpAsmParser &parser) {
  int64_t value = 0;
  OptionalParseResult integer = parser.parseOptionalInteger(value);
  if (integer.has_value()) {
    if (failed(*integer))
      return failure();
    return getAffineConstantExpr(value, parser.getContext());
  }
  if (succeeded(parser.parseOptionalMinus())) {
    FailureOr<AffineExpr> factor = parseFactor(parser);
    if (failed(factor))
      return failure();
    return -*factor;
  }
  if (succeeded(parser.parseOptionalLParen())) {
    FailureOr<AffineExpr> inner = parseSum(parser);
    if (failed(inner) || parser.parseRParen())
      return failure();
    return inner;
  }
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (failed(parser.parseOptionalKeyword(&name)))
    return parser.emitError(loc, "expected a number, a symbol or '('");
  std::optional<LaunchSymbol> symbol = parseLaunchSymbol(name);
  if (!symbol)
    return parser.emitError(loc, "unknown symbol '")
           << name << "'; launch-time symbols are T, S, R, C, SM, member, slot, N, M";
  return symbolExpr(parser.getContext(), *symbol);
}

static FailureOr<AffineExpr> parseProduct(OpAsmParser &parser) {
  FailureOr<AffineExpr> left = parseFactor(parser);
  while (succeeded(left)) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (succeeded(parser.parseOptionalStar()))
      keyword = "*";
    else if (failed(parser.parseOptionalKeyword(&keyword, {"floordiv", "ceildiv", "mod"})))
      return left;
    FailureOr<AffineExpr> right = parseFactor(parser);
    if (failed(right))
      return failure();
    auto divisor = dyn_cast<AffineConstantExpr>(*right);
    if (keyword != "*" && (!divisor || divisor.getValue() < 1))
      return parser.emitError(loc, "a divisor must be a positive number");
    left = keyword == "*"          ? *left * *right
           : keyword == "floordiv" ? left->floorDiv(*right)
           : keyword == "ceildiv"  ? left->ceilDiv(*right)
                                   : *left % *right;
  }
  return failure();
}

static FailureOr<AffineExpr> parseSum(OpAsmParser &parser) {
  FailureOr<AffineExpr> left = parseProduct(parser);
  while (succeeded(left)) {
    bool minus = succeeded(parser.parseOptionalMinus());
    if (!minus && failed(parser.parseOptionalPlus()))
      return left;
    FailureOr<AffineExpr> right = parseProduct(parser);
    if (failed(right))
      return failure();
    left = minus ? *left - *right : *left + *right;
  }
  return failure();
}

ParseResult k3::exec::parseSymbolMap(OpAsmParser &parser, AffineMapAttr &map) {
  SmallVector<AffineExpr> results;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<AffineExpr> expression = parseSum(parser);
    if (failed(expression))
      return failure();
    results.push_back(*expression);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  map = AffineMapAttr::get(symbolMap(parser.getContext(), results));
  return success();
}

void k3::exec::printSymbolMap(OpAsmPrinter &printer, Operation *, AffineMapAttr map) {
  printer << '[';
  llvm::interleaveComma(map.getValue().getResults(), printer,
                        [&](AffineExpr expression) { printer << exprText(expression); });
  printer << ']';
}

ParseResult k3::exec::parseOptionalSymbolMap(OpAsmParser &parser, AffineMapAttr &map) {
  return parseSymbolMap(parser, map);
}

void k3::exec::printOptionalSymbolMap(OpAsmPrinter &printer, Operation *op, AffineMapAttr map) {
  if (map)
    printSymbolMap(printer, op, map);
}
