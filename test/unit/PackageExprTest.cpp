//===- PackageExprTest.cpp - Launch-time expressions -------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Package/Expr.h"

#include <gtest/gtest.h>

#include <limits>

using namespace k3;

namespace {

constexpr auto T = static_cast<uint8_t>(fb::Sym::T);
constexpr auto S = static_cast<uint8_t>(fb::Sym::S);
constexpr int64_t maxInt = std::numeric_limits<int64_t>::max();

SymbolValues values(int64_t t, int64_t s) {
  SymbolValues symbols;
  symbols.set(fb::Sym::T, t);
  symbols.set(fb::Sym::S, s);
  return symbols;
}

fb::ExprT term(int64_t coef, uint32_t div, uint8_t round, uint8_t a, uint8_t b = 0) {
  fb::ExprT expression;
  expression.terms.emplace_back(coef, div, round, a, b, 0);
  return expression;
}

TEST(Expr, SumsProductsOfSymbols) {
  fb::ExprT expression = term(4, 1, 0, T, S);
  expression.terms.emplace_back(-3, 1, 0, T, 0, 0);
  expression.terms.emplace_back(16, 1, 0, 0, 0, 0);
  EXPECT_EQ(*evaluate(expression, values(5, 7)), 4 * 5 * 7 - 15 + 16);
  EXPECT_EQ(exprText(expression), "4*T*S - 3*T + 16");
}

TEST(Expr, RoundsToTheWishedSide) {
  for (int64_t t : {-65, -64, -63, -1, 0, 1, 63, 64, 65}) {
    int64_t below = t >= 0 ? t / 64 : -((-t + 63) / 64), above = t >= 0 ? (t + 63) / 64 : -((-t) / 64);
    EXPECT_EQ(*evaluate(term(1, 64, 0, T), values(t, 0)), below) << t;
    EXPECT_EQ(*evaluate(term(1, 64, 1, T), values(t, 0)), above) << t;
  }
  EXPECT_EQ(exprText(term(1, 64, 1, T)), "ceil(T/64)");
}

TEST(Expr, TakesTheMaximum) {
  fb::ExprT expression = term(1, 1, 0, T);
  expression.max_of.push_back(symbolExpr(fb::Sym::S));
  expression.max_of.push_back(constantExpr(4));
  EXPECT_EQ(*evaluate(expression, values(1, 2)), 4);
  EXPECT_EQ(*evaluate(expression, values(1, 9)), 9);
  EXPECT_EQ(exprText(expression), "max(T, S, 4)");
}

TEST(Expr, AProductMayPassThrough128Bits) {
  EXPECT_EQ(*evaluate(term(maxInt, 1u << 31, 0, T), values(1 << 30, 0)), maxInt / 2);
}

TEST(Expr, OverflowIsAnError) {
  EXPECT_EQ(evaluate(term(maxInt, 1, 0, T), values(2, 0)).status().text(),
            "expression '9223372036854775807*T' leaves the range of 64-bit integers");
  EXPECT_FALSE(evaluate(term(maxInt, 1, 0, T, S), values(maxInt, maxInt)).ok());
  fb::ExprT sum = term(maxInt, 1, 0, 0);
  sum.terms.emplace_back(1, 1, 0, 0, 0, 0);
  EXPECT_FALSE(evaluate(sum, SymbolValues()).ok());
}

TEST(Expr, NamesTheSymbolWithoutAValue) {
  SymbolValues symbols;
  symbols.set(fb::Sym::T, 1);
  EXPECT_EQ(evaluate(term(2, 1, 0, T, S), symbols).status().text(),
            "expression '2*T*S' uses the symbol S, which has no value here");
  EXPECT_FALSE(evaluate(term(1, 1, 0, 200), symbols).ok());
}

TEST(Expr, DivisorZeroIsAnError) { EXPECT_FALSE(evaluate(term(1, 0, 0, T), values(1, 1)).ok()); }

TEST(Expr, ConstantsHaveNoSymbols) {
  EXPECT_EQ(constantValue(*constantExpr(12)), 12);
  EXPECT_EQ(constantValue(*constantExpr(0)), 0);
  EXPECT_FALSE(constantValue(*symbolExpr(fb::Sym::T)).has_value());
}

} // namespace
