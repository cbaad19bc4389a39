//===- Expr.cpp - Launch-time integer expressions ----------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Package/Expr.h"

#include <algorithm>

using namespace k3;

namespace {

enum class Failure { None, Overflow, Divisor, Symbol };

using Wide = __int128;

/// coef * a * b / div in 128 bits; the result must fit 64.
Failure evaluateTerm(const fb::Term &term, const SymbolValues &symbols, int64_t &value, uint8_t &missing) {
  for (uint8_t symbol : {term.a(), term.b()}) {
    if (!symbols.has(symbol)) {
      missing = symbol;
      return Failure::Symbol;
    }
  }
  if (term.div() == 0)
    return Failure::Divisor;
  Wide product = static_cast<Wide>(term.coef()) * symbols.get(term.a());
  if (__builtin_mul_overflow(product, static_cast<Wide>(symbols.get(term.b())), &product))
    return Failure::Overflow;
  Wide divisor = term.div(), quotient = product / divisor, remainder = product % divisor;
  if (remainder != 0 &&
      (remainder < 0) == (term.round() == 0)) // C++ rounds to zero: step where the wish differs
    quotient += term.round() == 0 ? -1 : 1;
  value = static_cast<int64_t>(quotient);
  return value == quotient ? Failure::None : Failure::Overflow;
}

Failure evaluateTree(const fb::ExprT &expression, const SymbolValues &symbols, int64_t &value,
                     uint8_t &missing) {
  int64_t sum = 0;
  for (const fb::Term &term : expression.terms) {
    int64_t part = 0;
    if (Failure failure = evaluateTerm(term, symbols, part, missing); failure != Failure::None)
      return failure;
    if (__builtin_add_overflow(sum, part, &sum))
      return Failure::Overflow;
  }
  for (const auto &other : expression.max_of) {
    int64_t bound = 0;
    if (!other)
      continue;
    if (Failure failure = evaluateTree(*other, symbols, bound, missing); failure != Failure::None)
      return failure;
    sum = std::max(sum, bound);
  }
  value = sum;
  return Failure::None;
}

std::string termText(const fb::Term &term) {
  std::string symbols;
  for (uint8_t symbol : {term.a(), term.b()}) {
    if (symbol == static_cast<uint8_t>(fb::Sym::One))
      continue;
    symbols += (symbols.empty() ? "" : "*") + std::string(symbolName(symbol));
  }
  std::string text = std::to_string(term.coef());
  if (!symbols.empty())
    text = term.coef() == 1 ? symbols : term.coef() == -1 ? "-" + symbols : text + "*" + symbols;
  if (term.div() != 1)
    text = (term.round() ? "ceil(" : "floor(") + text + "/" + std::to_string(term.div()) + ")";
  return text;
}

} // namespace

const char *k3::symbolName(uint8_t symbol) {
  return symbol < symbolCount ? fb::EnumNameSym(static_cast<fb::Sym>(symbol)) : "?";
}

Expected<int64_t> k3::evaluate(const fb::ExprT &expression, const SymbolValues &symbols) {
  int64_t value = 0;
  uint8_t missing = 0;
  switch (evaluateTree(expression, symbols, value, missing)) {
  case Failure::None:
    return value;
  case Failure::Overflow:
    return badInput("expression '" + exprText(expression) + "' leaves the range of 64-bit integers");
  case Failure::Divisor:
    return badInput("expression '" + exprText(expression) + "' divides by 0");
  case Failure::Symbol:
    break;
  }
  return badInput("expression '" + exprText(expression) + "' uses the symbol " + symbolName(missing) +
                  ", which has no value here");
}

Expected<int64_t> k3::evaluateOr(const std::unique_ptr<fb::ExprT> &expression, const SymbolValues &symbols,
                                 int64_t absent) {
  if (!expression)
    return absent;
  return evaluate(*expression, symbols);
}

bool k3::tryEvaluate(const fb::ExprT &expression, const SymbolValues &symbols, int64_t &value) {
  uint8_t missing = 0;
  return evaluateTree(expression, symbols, value, missing) == Failure::None;
}

std::optional<int64_t> k3::constantValue(const fb::ExprT &expression) {
  int64_t value = 0;
  return tryEvaluate(expression, SymbolValues(), value) ? std::optional<int64_t>(value) : std::nullopt;
}

std::string k3::exprText(const fb::ExprT &expression) {
  std::string text;
  for (const fb::Term &term : expression.terms) {
    std::string part = termText(term);
    if (text.empty())
      text = part;
    else
      text += part[0] == '-' ? " - " + part.substr(1) : " + " + part;
  }
  if (text.empty())
    text = "0";
  if (expression.max_of.empty())
    return text;
  text = "max(" + text;
  for (const auto &other : expression.max_of)
    text += ", " + exprText(other);
  return text + ")";
}

std::string k3::exprText(const std::unique_ptr<fb::ExprT> &expression) {
  return expression ? exprText(*expression) : "-";
}

std::unique_ptr<fb::ExprT> k3::constantExpr(int64_t value) {
  auto expression = std::make_unique<fb::ExprT>();
  expression->terms.emplace_back(value, 1, 0, 0, 0, 0);
  return expression;
}

std::unique_ptr<fb::ExprT> k3::symbolExpr(fb::Sym symbol, int64_t coefficient) {
  auto expression = std::make_unique<fb::ExprT>();
  expression->terms.emplace_back(coefficient, 1, 0, static_cast<uint8_t>(symbol), 0, 0);
  return expression;
}
