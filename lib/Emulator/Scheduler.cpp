//===- Scheduler.cpp - Fibres and who runs next ---------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Scheduler.h"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define K3_FIBRE_START(save, bottom, size) __sanitizer_start_switch_fiber(save, bottom, size)
#define K3_FIBRE_FINISH(saved, bottom, size) __sanitizer_finish_switch_fiber(saved, bottom, size)
#else
#define K3_FIBRE_START(save, bottom, size) ((void)0)
#define K3_FIBRE_FINISH(saved, bottom, size) ((void)0)
#endif

namespace k3::emu {

// Interpreters keep tensors on the heap; half a megabyte leaves room for sanitizers. Pages come on demand.
static constexpr size_t kStackBytes = 512 << 10;

struct Scheduler::Fibre {
  ucontext_t context;
  void *stack = nullptr;
  void *fakeStack = nullptr;
  unsigned group = 0;
  std::function<void()> body;
  std::function<bool()> ready; ///< empty: can run
  std::function<std::string()> what;
  bool started = false, ended = false;
};

namespace {
struct MainContext {
  ucontext_t context;
  void *fakeStack = nullptr;
  const void *bottom = nullptr;
  size_t size = 0;
};
} // namespace

Schedule Schedule::ofSeed(uint64_t seed, unsigned roles) {
  Schedule schedule;
  schedule.seed = seed;
  if (seed == 1 || seed == 2) {
    schedule.order = Order::Starve;
    schedule.completion = Completion::Late;
    schedule.starved = roles == 0 ? 0 : static_cast<unsigned>(seed - 1) % roles;
    schedule.lateProducts = seed == 1;
  } else if (seed > 2) {
    schedule.order = Order::Random;
    schedule.completion = Completion::Random;
    schedule.lateProducts = seed % 2 == 0;
  }
  return schedule;
}

Scheduler::Scheduler(Schedule schedule)
    : schedule(schedule), mainContext(new MainContext), random(schedule.seed, 0x5EED) {}

Scheduler::~Scheduler() {
  for (std::unique_ptr<Fibre> &fibre : fibres)
    if (fibre->stack)
      munmap(fibre->stack, kStackBytes);
  for (void *stack : spareStacks)
    munmap(stack, kStackBytes);
  delete static_cast<MainContext *>(mainContext);
}

void Scheduler::spawn(unsigned group, std::function<void()> body) {
  auto fibre = std::make_unique<Fibre>();
  fibre->group = group;
  fibre->body = std::move(body);
  if (spareStacks.empty()) {
    void *stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED)
      std::abort(); // address space of a 64-bit process: does not happen
    mprotect(stack, 4096, PROT_NONE);
    fibre->stack = stack;
  } else {
    fibre->stack = spareStacks.back();
    spareStacks.pop_back();
  }
  fibres.push_back(std::move(fibre));
}

void Scheduler::defer(std::function<void()> event) {
  if (schedule.completion == Completion::Eager || cancelling)
    event();
  else
    events.push_back(std::move(event));
}

void Scheduler::happen(size_t index) {
  std::function<void()> event = std::move(events[index]);
  events.erase(events.begin() + static_cast<std::ptrdiff_t>(index));
  event();
}

void Scheduler::entry(unsigned high, unsigned low) {
  auto *self = reinterpret_cast<Scheduler *>(static_cast<uintptr_t>(high) << 32 | low);
  auto *main = static_cast<MainContext *>(self->mainContext);
  K3_FIBRE_FINISH(nullptr, &main->bottom, &main->size);
  Fibre *fibre = self->current;
  fibre->body();
  fibre->body = nullptr;
  fibre->ended = true;
  K3_FIBRE_START(nullptr, main->bottom, main->size);
  setcontext(&main->context);
}

void Scheduler::resume(Fibre &fibre) {
  auto *main = static_cast<MainContext *>(mainContext);
  if (!fibre.started) {
    fibre.started = true;
    getcontext(&fibre.context);
    fibre.context.uc_stack.ss_sp = static_cast<char *>(fibre.stack) + 4096;
    fibre.context.uc_stack.ss_size = kStackBytes - 4096;
    fibre.context.uc_link = nullptr;
    auto self = reinterpret_cast<uintptr_t>(this);
    makecontext(&fibre.context, reinterpret_cast<void (*)()>(&Scheduler::entry), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
  }
  fibre.ready = nullptr;
  current = &fibre;
  ++switchCount;
  K3_FIBRE_START(&main->fakeStack, static_cast<char *>(fibre.stack) + 4096, kStackBytes - 4096);
  swapcontext(&main->context, &fibre.context);
  K3_FIBRE_FINISH(main->fakeStack, nullptr, nullptr);
  current = nullptr;
}

void Scheduler::suspend() {
  auto *main = static_cast<MainContext *>(mainContext);
  Fibre *self = current;
  K3_FIBRE_START(&self->fakeStack, main->bottom, main->size);
  swapcontext(&self->context, &main->context);
  K3_FIBRE_FINISH(self->fakeStack, &main->bottom, &main->size);
}

bool Scheduler::waitUntil(std::function<bool()> ready, std::function<std::string()> what) {
  if (cancelling)
    return false;
  if (ready())
    return true;
  current->ready = std::move(ready);
  current->what = std::move(what);
  suspend();
  return !cancelling;
}

void Scheduler::point() {
  if (cancelling || (schedule.order == Order::Random && draw(2) == 0))
    return;
  suspend();
}

Scheduler::Fibre *Scheduler::pick() {
  auto runnable = [](const Fibre &fibre) { return !fibre.ready || fibre.ready(); };
  size_t n = fibres.size();
  if (n == 0)
    return nullptr;
  size_t start = schedule.order == Order::Random ? draw(n) : (cursor + 1) % n;
  Fibre *last = nullptr;
  for (size_t i = 0; i < n; ++i) {
    size_t at = (start + i) % n;
    Fibre &fibre = *fibres[at];
    if (schedule.order == Order::Starve && fibre.group == schedule.starved) {
      if (!last && runnable(fibre))
        last = &fibre;
      continue;
    }
    if (!runnable(fibre))
      continue;
    cursor = at;
    return &fibre;
  }
  return last;
}

bool Scheduler::run(uint64_t maxSwitches, const std::function<void(const std::string &)> &onStuck) {
  while (!fibres.empty() || !events.empty()) {
    if (schedule.completion == Completion::Random && !events.empty() && draw(3) == 0)
      happen(draw(events.size()));
    Fibre *next = pick();
    if (next && switchCount < maxSwitches) {
      resume(*next);
      if (next->ended) {
        spareStacks.push_back(next->stack);
        auto at = std::find_if(fibres.begin(), fibres.end(), [&](const auto &f) { return f.get() == next; });
        fibres.erase(at);
      }
      continue;
    }
    if (!next && !events.empty()) {
      happen(schedule.completion == Completion::Random ? draw(events.size()) : 0);
      continue;
    }
    // Nobody can go on.
    exhausted = next != nullptr;
    for (std::unique_ptr<Fibre> &fibre : fibres)
      if (fibre->ready && fibre->what)
        onStuck(fibre->what());
    cancelling = true;
    // New fibres may be spawned by ending ones; they see the cancellation at their first wait.
    while (!fibres.empty()) {
      Fibre *fibre = fibres.front().get();
      resume(*fibre);
      if (fibre->ended) {
        spareStacks.push_back(fibre->stack);
        fibres.erase(fibres.begin());
      }
    }
    events.clear();
    return false;
  }
  return true;
}

} // namespace k3::emu
