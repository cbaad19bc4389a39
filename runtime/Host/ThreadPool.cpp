//===- ThreadPool.cpp - Fixed threads that share a range ------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Host/ThreadPool.h"

using namespace k3;

ThreadPool::ThreadPool(unsigned threads) {
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
  {
    std::lock_guard lock(mutex);
    function = fn;
    functionData = data;
    itemCount = items;
    next.store(0, std::memory_order_relaxed);
    running = static_cast<unsigned>(workers.size());
    ++job;
  }
  wake.notify_all();
  takeItems(0);
  std::unique_lock lock(mutex);
  done.wait(lock, [this] { return running == 0; });
}

void ThreadPool::workerLoop(unsigned worker) {
  uint64_t seen = 0;
  std::unique_lock lock(mutex);
  while (true) {
    wake.wait(lock, [&] { return stopping || job != seen; });
    if (stopping)
      return;
    seen = job;
    lock.unlock();
    takeItems(worker);
    lock.lock();
    if (--running == 0)
      done.notify_one();
  }
}
