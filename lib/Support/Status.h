//===- Status.h - Success, or one line that says what is wrong --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The error type of everything that is free of MLIR. No exceptions cross a library boundary.
//
//===----------------------------------------------------------------------===//

#ifndef K3_SUPPORT_STATUS_H
#define K3_SUPPORT_STATUS_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace k3 {

/// What kind of failure; the numbers are those of `k3_code` in runtime/include/k3/runtime.h.
enum class Code {
  Ok = 0,
  BadInput = 1,
  BadUsage = 2,
  Unsupported = 3,
  NoMemory = 4,
  NoSlot = 5,
  Io = 6,
  Comm = 7,
  Internal = 8,
};

/// A code and one line of text: what is wrong, where, what was expected, what to do.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Code code, std::string text) : statusCode(code), statusText(std::move(text)) {
    assert(code != Code::Ok && "a success has no text");
  }
  static Status success() { return Status(); }

  bool ok() const { return statusCode == Code::Ok; }
  Code code() const { return statusCode; }
  const std::string &text() const { return statusText; }

  /// The same failure with `where: ` in front; a success stays one.
  Status withContext(const std::string &where) && {
    if (!ok())
      statusText = where + ": " + statusText;
    return std::move(*this);
  }

private:
  Code statusCode = Code::Ok;
  std::string statusText;
};

inline Status badInput(std::string text) { return {Code::BadInput, std::move(text)}; }
inline Status badUsage(std::string text) { return {Code::BadUsage, std::move(text)}; }
inline Status unsupported(std::string text) { return {Code::Unsupported, std::move(text)}; }
inline Status ioError(std::string text) { return {Code::Io, std::move(text)}; }
inline Status internalError(std::string text) { return {Code::Internal, std::move(text)}; }

/// A value or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Expected {
public:
  Expected(T value) : stored(std::move(value)) {}
  Expected(Status status) : failure(std::move(status)) { assert(!failure.ok() && "a success needs a value"); }

  bool ok() const { return stored.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status &status() const { return failure; }
  Status takeStatus() { return std::move(failure); }
  T &operator*() { return *stored; }
  const T &operator*() const { return *stored; }
  T *operator->() { return &*stored; }
  const T *operator->() const { return &*stored; }

private:
  std::optional<T> stored;
  Status failure;
};

} // namespace k3

/// `K3_TRY(call());` returns the Status of a failed call from the enclosing function.
#define K3_TRY(expression)                                                                                   \
  do {                                                                                                       \
    if (::k3::Status k3Status = (expression); !k3Status.ok())                                                \
      return k3Status;                                                                                       \
  } while (false)

/// `K3_ASSIGN(auto x, call());` binds the value of an Expected or returns its Status.
#define K3_CONCAT_(a, b) a##b
#define K3_CONCAT(a, b) K3_CONCAT_(a, b)
#define K3_ASSIGN(declaration, expression) K3_ASSIGN_(declaration, expression, K3_CONCAT(k3Expected, __LINE__))
#define K3_ASSIGN_(declaration, expression, temporary)                                                       \
  auto temporary = (expression);                                                                             \
  if (!temporary.ok())                                                                                       \
    return temporary.takeStatus();                                                                           \
  declaration = std::move(*temporary)

#endif // K3_SUPPORT_STATUS_H
