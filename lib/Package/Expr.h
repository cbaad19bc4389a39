//===- Expr.h - Launch-time integer expressions ------------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every shape, offset, grid and byte count in a package is an Expr: a sum of terms coef * a * b / div over
// symbols, then the maximum with the Exprs of max_of. Evaluation is exact in int64 or fails.
//
//===----------------------------------------------------------------------===//

#ifndef K3_PACKAGE_EXPR_H
#define K3_PACKAGE_EXPR_H

#include "lib/Package/Package_generated.h"
#include "lib/Support/Status.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace k3 {

inline constexpr unsigned symbolCount = static_cast<unsigned>(fb::Sym::MAX) + 1;

/// Values of the symbols that mean something where an expression is evaluated. `One` is always 1.
class SymbolValues {
public:
  SymbolValues() { set(fb::Sym::One, 1); }
  void set(fb::Sym symbol, int64_t value) {
    values[static_cast<unsigned>(symbol)] = value;
    known |= 1u << static_cast<unsigned>(symbol);
  }
  void unset(fb::Sym symbol) { known &= ~(1u << static_cast<unsigned>(symbol)); }
  bool has(uint8_t symbol) const { return symbol < symbolCount && (known >> symbol & 1); }
  int64_t get(uint8_t symbol) const { return values[symbol]; }

private:
  std::array<int64_t, symbolCount> values{};
  uint32_t known = 0;
};

/// The value of `expression`. Errors: overflow, a symbol without a value, divisor 0.
Expected<int64_t> evaluate(const fb::ExprT &expression, const SymbolValues &symbols);

/// The same for an optional field: `absent` when there is no expression.
Expected<int64_t> evaluateOr(const std::unique_ptr<fb::ExprT> &expression, const SymbolValues &symbols,
                             int64_t absent);

/// Non-failing form for hot paths: false where `evaluate` has an error.
bool tryEvaluate(const fb::ExprT &expression, const SymbolValues &symbols, int64_t &value);

/// The value of an expression without symbols; nothing if it has any, or on overflow.
std::optional<int64_t> constantValue(const fb::ExprT &expression);

/// "T", "S", ..., "?" for a number outside the enum.
const char *symbolName(uint8_t symbol);

/// `4*S*T + ceil(R/64) + 16`, `max(..., ...)`; "0" for an empty sum.
std::string exprText(const fb::ExprT &expression);
std::string exprText(const std::unique_ptr<fb::ExprT> &expression);

std::unique_ptr<fb::ExprT> constantExpr(int64_t value);
std::unique_ptr<fb::ExprT> symbolExpr(fb::Sym symbol, int64_t coefficient = 1);

} // namespace k3

#endif // K3_PACKAGE_EXPR_H
