//===- ThreadPool.cpp - Fixed threads that share a range ------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Host/ThreadPool.h"

#include <sched.h>

using namespace k3;

ThreadPool::ThreadPool(unsigned threads) {
  // Spinning helps only where every worker has a CPU of its own.
  cpu_set_t cpus;
  bool enough =
      sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) >= static_cast<int>(threads);
  spins = enough ? 2000 : 0;
  workers.reserve(threads - 1);
  for (unsigned worker = 1; worker < threads; ++worker)
    workers.emplace_back([this, worker] { workerLoop(worker); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  wake.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

static void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void ThreadPool::takeItems(unsigned worker) {
  for (int64_t item = next.fetch_add(1, std::memory_order_relaxed); item < itemCount;
       item = next.fetch_add(1, std::memory_order_relaxed))
    function(functionData, worker, item);
}

void ThreadPool::run(int64_t items, ItemFunction fn, void *data) {
  // One item or one worker: waking anybody would cost more than it gives.
  if (items <= 1 || workers.empty()) {
    for (int64_t item = 0; item < items; ++item)
      fn(data, 0, item);
    return;
  }
  bool wakeThem;
  {
    std::lock_guard lock(mutex);
    function = fn;
    functionData = data;
    itemCount = items;
    next = 0;
    open = ++jobs;
    wakeThem = sleeping > 0;
  }
  if (wakeThem)
    wake.notify_all();
  takeItems(0);
  std::unique_lock lock(mutex);
  open = 0; // nobody joins any more
  lock.unlock();
  for (unsigned i = 0; i < spins && running != 0; ++i)
    relax();
  lock.lock();
  done.wait(lock, [this] { return running == 0; });
}

void ThreadPool::workerLoop(unsigned worker) {
  uint64_t seen = 0;
  auto joinable = [&] {
    uint64_t job = open;
    return job != 0 && job != seen;
  };
  while (true) {
    for (unsigned i = 0; i < spins && !joinable() && !stopping; ++i)
      relax();
    std::unique_lock lock(mutex);
    ++sleeping;
    wake.wait(lock, [&] { return stopping || joinable(); });
    --sleeping;
    if (stopping)
      return;
    seen = open;
    ++running;
    lock.unlock();
    takeItems(worker);
    lock.lock();
    if (--running == 0)
      done.notify_one();
  }
}
