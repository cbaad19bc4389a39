//===- KernelBuilder.h - Typed builder of grid functions --------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin typed layer over func, scf, memref, vector, arith and math in which a kernel reads like its
// algorithm:
//
//   k.grid([&](Index t) {
//     F scale = k.rsqrt(k.sumSquares(x(t), D) / float(D) + eps);
//     k.forLanes(D, [&](Lane c) { y(t).set(c, x(t)[c] * scale * w()[c]); });
//   });
//
// F is f32 or vector<8xf32>, the same code serves both: forLanes runs 8 columns at a time, then the tail one
// by one. An element's value is the same on either path, because every operation, exp and tanh included, is
// elementwise IEEE arithmetic spelled out here; fma is explicit and nothing else is contracted.
//
//===----------------------------------------------------------------------===//

#ifndef K3_PASSES_HOST_KERNELS_KERNELBUILDER_H
#define K3_PASSES_HOST_KERNELS_KERNELBUILDER_H

#include "passes/Host/Kernels/Kernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <limits>

namespace k3::host {

class KernelBuilder;

/// Vector width of every kernel, in f32.
constexpr int64_t lanes = 8;

/// A value and the builder that operators on it append to.
struct Val {
  KernelBuilder *k = nullptr;
  mlir::Value v;
  explicit operator bool() const { return bool(v); }
};
struct Index : Val {};
/// f32 or vector<8xf32>; a scalar meets a vector by broadcast.
struct F : Val {};
/// i32 or vector<8xi32>.
struct I32 : Val {};
/// i1 or vector<8xi1>.
struct Bool : Val {};

/// `width` columns from `index` on (8 or 1).
struct Lane {
  Index index;
  int64_t width;
};

/// A buffer with all indices fixed but the last: a row of columns.
struct Row {
  KernelBuilder *k = nullptr;
  mlir::Value buffer;
  llvm::SmallVector<mlir::Value, 3> leading;
  mlir::Value offset; ///< added to the column; may be null

  F operator[](Lane c) const;
  F operator[](Index c) const;
  F operator[](int64_t c) const;
  void set(Lane c, F value) const;
  void set(Index c, F value) const;
  void set(int64_t c, F value) const;
  /// The row from column `start` on.
  Row from(Index start) const;
  Row from(int64_t start) const;
  /// i32 columns, sign-extended; i32 stores.
  Index integer(Index c) const;
  void setInteger(Index c, Index value) const;
  /// i8 buffers: of 8 rows `rowBytes` apart, the byte at c, zero-extended, or the 4 bytes from c on as one
  /// word.
  I32 gatherBytes(Index c, int64_t rowBytes) const;
  I32 gatherWords(Index c, int64_t rowBytes) const;
};

/// A buffer argument or a piece of scratch.
struct View {
  KernelBuilder *k = nullptr;
  mlir::Value buffer;

  Row operator()() const { return {k, buffer, {}, {}}; }
  Row operator()(Index i) const { return {k, buffer, {i.v}, {}}; }
  Row operator()(Index i, Index j) const { return {k, buffer, {i.v, j.v}, {}}; }
  Row operator()(int64_t i) const;
  Row operator()(Index i, Index j, Index l) const { return {k, buffer, {i.v, j.v, l.v}, {}}; }
  Row operator()(Index i, int64_t j) const;
  /// Extent of dimension 0.
  Index rows() const;
};

Index operator+(Index a, Index b);
Index operator-(Index a, Index b);
Index operator*(Index a, Index b);
Index operator+(Index a, int64_t b);
Index operator-(Index a, int64_t b);
Index operator*(Index a, int64_t b);
/// Division and remainder of numbers >= 0.
Index operator/(Index a, int64_t b);
Index operator/(Index a, Index b);
Index operator%(Index a, int64_t b);
Bool operator<(Index a, Index b);
Bool operator<(Index a, int64_t b);
Bool operator>=(Index a, int64_t b);
Bool operator==(Index a, Index b);
Bool operator==(Index a, int64_t b);
Bool operator!=(Index a, Index b);
Index min(Index a, Index b);
Index max(Index a, Index b);
Bool operator&&(Bool a, Bool b);
Bool operator||(Bool a, Bool b);
Bool operator!(Bool a);

F operator+(F a, F b);
F operator-(F a, F b);
F operator*(F a, F b);
F operator/(F a, F b);
F operator-(F a);
F operator+(F a, float b);
F operator-(F a, float b);
F operator*(F a, float b);
F operator/(F a, float b);
F operator+(float a, F b);
F operator-(float a, F b);
F operator*(float a, F b);
F operator/(float a, F b);
/// Ordered comparisons: false where either side is NaN.
Bool operator<(F a, F b);
Bool operator>(F a, F b);
Bool isNan(F a);
/// a b + c, rounded once.
F fma(F a, F b, F c);
F select(Bool condition, F a, F b);
Index select(Bool condition, Index a, Index b);
/// The larger; b where a is NaN.
F maxOf(F a, F b);

F sqrt(F a);
/// 1 / sqrt(a), both correctly rounded.
F rsqrt(F a);
/// e^a within 2 ulp over the whole range: denormal results, 0 and infinity included; NaN stays.
F exp(F a);
/// 1 / (1 + e^-a).
F sigmoid(F a);
/// Within 3 ulp, also near 0.
F tanh(F a);
F silu(F a);
/// beta tanh(a / beta) sigmoid(a) linearBeta tanh(u / linearBeta).
F situ(F a, F u, float beta, float linearBeta);

/// Twice the E2M1 number (0 0.5 1 1.5 2 3 4 6 and their negatives) in nibble 0 .. 7 of a word, lowest first.
F decodeE2M1Twice(I32 packed, int64_t nibble);
/// 2^(s - 127) of a scale byte s <= 254, byte 0 included.
F scaleE8M0(I32 byte);

/// How a kernel uses a buffer; the letter is the one of HostKernel::access.
enum class Access : char { Read = 'r', Write = 'w', Both = 'b' };
enum class Element { F32, I32, I8 };

/// Builds the body of one grid function.
class KernelBuilder {
public:
  KernelBuilder(mlir::func::FuncOp function);

  /// The next buffer argument: [rows, inner...], rows and row stride from the table. An inner extent of -1 is
  /// not known to the kernel (only the last one may be).
  View buffer(llvm::StringRef name, Access access, llvm::ArrayRef<int64_t> inner,
              Element element = Element::F32);
  /// The same for any element type that memory can hold; load and store it by `View::buffer`.
  View buffer(llvm::StringRef name, Access access, llvm::ArrayRef<int64_t> inner, mlir::Type element);
  View read(llvm::StringRef name, llvm::ArrayRef<int64_t> inner) { return buffer(name, Access::Read, inner); }
  View write(llvm::StringRef name, llvm::ArrayRef<int64_t> inner) {
    return buffer(name, Access::Write, inner);
  }
  /// A contiguous vector of n f32, such as a norm's weight.
  View weight(llvm::StringRef name, int64_t n);
  /// A batch array of i32, or a table [rows, unknown] of i32.
  View integers(llvm::StringRef name, Access access = Access::Read);
  View integerTable(llvm::StringRef name, Access access = Access::Read);
  /// f32 scratch of this thread, 64-byte aligned, not initialised.
  View scratch(llvm::ArrayRef<int64_t> shape);

  /// The loop over this call's units.
  void grid(llvm::function_ref<void(Index)> body);

  Index index(int64_t value);
  F constant(float value);
  /// `value` in every lane of a vector; a vector stays.
  F splat(F value);
  F like(F shape, float value);

  void forRange(Index lo, Index hi, llvm::function_ref<void(Index)> body, int64_t step = 1);
  void forRange(int64_t lo, int64_t hi, llvm::function_ref<void(Index)> body, int64_t step = 1);
  /// Columns 0 .. n-1, 8 at a time, then one by one.
  void forLanes(int64_t n, llvm::function_ref<void(Lane)> body);
  void forLanes(Index n, llvm::function_ref<void(Lane)> body);
  /// Loop-carried values: body(i, carried) returns the next ones.
  using Carried = llvm::SmallVector<F, 8>;
  Carried fold(Index lo, Index hi, Carried init, llvm::function_ref<Carried(Index, const Carried &)> body,
               int64_t step = 1);
  F fold(Index lo, Index hi, F init, llvm::function_ref<F(Index, F)> body);
  Index foldIndex(Index lo, Index hi, Index init, llvm::function_ref<Index(Index, Index)> body);
  /// i = init; while (i < end) i = body(i).
  void whileBelow(Index init, Index end, llvm::function_ref<Index(Index)> body);
  void when(Bool condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise = nullptr);
  Index choose(Bool condition, llvm::function_ref<Index()> then, llvm::function_ref<Index()> otherwise);

  /// Sums over `n` columns, several at once: 8 lane accumulators of `term(c, acc)`, lanes added in fixed
  /// order, then the tail one by one. term returns the accumulators after column(s) c.
  Carried reduce(int64_t n, size_t count, llvm::function_ref<Carried(Lane, const Carried &)> term);
  F dot(const Row &a, const Row &b, int64_t n);
  F sumSquares(const Row &a, int64_t n);
  /// Lanes of a vector, added in fixed order; of a scalar, itself.
  F addLanes(F value);
  /// The largest of n columns (n may be 0: -inf); no NaN unless all are.
  F rowMax(const Row &a, Index n);

  /// store(column, value) for each of the columns of a lane, for transposed stores.
  void scatter(Lane c, F value, llvm::function_ref<void(Index, F)> store);

  /// Fills columns.
  void fill(const Row &row, int64_t n, float value);
  void copy(const Row &from, const Row &to, int64_t n);

  /// emit(i, c, init(i, c) + sum_k a(i)[k] b(k)[c]) for i < rows, c < columns: per element one fma chain over
  /// ascending k, whatever the tile. init may be null (zero).
  struct Product {
    Index rows;
    int64_t columns;
    Index depth;
    llvm::function_ref<Row(Index)> a, b;
    llvm::function_ref<F(Index, Lane)> init;
    llvm::function_ref<void(Index, Lane, F)> emit;
  };
  void product(const Product &p);

  mlir::OpBuilder b;
  mlir::Location loc;

private:
  friend class KernelModule;
  friend struct View;
  View argument(llvm::StringRef name, Access access, mlir::MemRefType type);
  void productTile(const Product &p, Index row, int64_t tileRows, int64_t firstColumn, int64_t endColumn,
                   int64_t vectors);

  mlir::func::FuncOp function;
  unsigned buffers = 0;
  int64_t scratchBytes = 0;
  std::string access;
};

/// The kernels of one package: a module of grid functions, each once.
class KernelModule {
public:
  explicit KernelModule(mlir::MLIRContext *context);

  /// The kernel `symbol`; built by `body` the first time it is asked for.
  HostKernel kernel(const std::string &symbol, int64_t grain, llvm::function_ref<void(KernelBuilder &)> body);

  mlir::ModuleOp module() { return *owned; }
  mlir::OwningOpRef<mlir::ModuleOp> take() { return std::move(owned); }

  /// Loads the dialects that the builder uses.
  static void loadDialects(mlir::MLIRContext &context);

private:
  mlir::OwningOpRef<mlir::ModuleOp> owned;
  llvm::StringMap<HostKernel> built;
};

/// "family_192_3727c5ac": shape numbers in decimal, float constants as their bits.
std::string kernelSymbol(llvm::StringRef family, llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<float> constants = {});

} // namespace k3::host

#endif // K3_PASSES_HOST_KERNELS_KERNELBUILDER_H
