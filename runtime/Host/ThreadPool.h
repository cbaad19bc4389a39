//===- ThreadPool.h - Fixed threads that share a range ----------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fixed set of threads that run the items of one job at a time. The caller is worker 0. Items are taken
// from a shared counter, so which worker runs which item varies; the items must not care. The caller never
// waits for a worker that has not joined: a job that is over before anybody woke costs no more than on one
// thread.
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_HOST_THREADPOOL_H
#define K3_RUNTIME_HOST_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace k3 {

class ThreadPool {
public:
  /// fn(data, worker, item); item in [0, items).
  using ItemFunction = void (*)(void *data, unsigned worker, int64_t item);

  /// `threads` >= 1 workers, the caller of `run` among them.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned size() const { return static_cast<unsigned>(workers.size()) + 1; }

  /// Runs every item once and returns when all are done. One caller at a time.
  void run(int64_t items, ItemFunction fn, void *data);

  /// The same for a callable f(worker, item).
  template <typename F>
  void forEach(int64_t items, F &&f) {
    using Callable = std::remove_reference_t<F>;
    run(
        items,
        [](void *data, unsigned worker, int64_t item) { (*static_cast<Callable *>(data))(worker, item); },
        const_cast<void *>(static_cast<const void *>(&f)));
  }

private:
  void workerLoop(unsigned worker);
  void takeItems(unsigned worker);

  std::vector<std::thread> workers;
  unsigned spins; ///< looks at `open` before a worker sleeps; launches follow each other within microseconds

  std::mutex mutex;
  std::condition_variable wake, done;
  // Written under the mutex; the atomics are also read without it.
  uint64_t jobs = 0;
  std::atomic<uint64_t> open{0};    ///< number of the job that workers may join, 0: none
  std::atomic<unsigned> running{0}; ///< workers that joined and are not done
  unsigned sleeping = 0;
  std::atomic<bool> stopping{false};

  ItemFunction function = nullptr;
  void *functionData = nullptr;
  int64_t itemCount = 0;
  std::atomic<int64_t> next{0};
};

} // namespace k3

#endif // K3_RUNTIME_HOST_THREADPOOL_H
