//===- Pools.h - Free state slots and counted cache pages -------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that sequences own: state slots, each by one sequence, and cache pages, each by one or more.
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_POOLS_H
#define K3_RUNTIME_POOLS_H

#include <cassert>
#include <cstdint>
#include <vector>

namespace k3 {

/// Numbers 0 .. count-1; the one returned last is taken first, numbers never taken stay untouched as long as
/// possible (their memory costs nothing until then).
class NumberPool {
public:
  explicit NumberPool(uint64_t count) : limit(count) {}

  uint64_t available() const { return returned.size() + (limit - fresh); }
  uint64_t capacity() const { return limit; }

  /// available() must not be 0.
  int32_t take() {
    assert(available() > 0 && "the caller looks first");
    if (returned.empty())
      return static_cast<int32_t>(fresh++);
    int32_t number = returned.back();
    returned.pop_back();
    return number;
  }
  void giveBack(int32_t number) { returned.push_back(number); }

private:
  uint64_t limit, fresh = 0;
  std::vector<int32_t> returned;
};

/// Pages with reference counts.
class PagePool {
public:
  explicit PagePool(uint64_t count) : free(count) {}

  uint64_t available() const { return free.available(); }
  uint64_t capacity() const { return free.capacity(); }

  int32_t take() {
    int32_t page = free.take();
    if (static_cast<size_t>(page) >= references.size())
      references.resize(static_cast<size_t>(page) + 1);
    references[static_cast<size_t>(page)] = 1;
    return page;
  }
  void share(int32_t page) { ++references[static_cast<size_t>(page)]; }
  void release(int32_t page) {
    if (--references[static_cast<size_t>(page)] == 0)
      free.giveBack(page);
  }

private:
  NumberPool free;
  std::vector<uint32_t> references;
};

} // namespace k3

#endif // K3_RUNTIME_POOLS_H
