//===- Scheduler.h - Fibres and who runs next -------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One fibre per role instance. A fibre runs until it waits or passes a point where another may go on; a
// seeded policy then picks the next fibre, or lets one copy in flight happen. The same seed gives the same
// run.
//
//===----------------------------------------------------------------------===//

#ifndef K3_EMULATOR_SCHEDULER_H
#define K3_EMULATOR_SCHEDULER_H

#include "lib/Support/Random.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace k3::emu {

/// Who runs next.
enum class Order { RoundRobin, Starve, Random };
/// When a copy in flight happens: when issued, when nobody else can run, or at a random moment.
enum class Completion { Eager, Late, Random };

struct Schedule {
  uint64_t seed = 0;
  Order order = Order::RoundRobin;
  Completion completion = Completion::Eager;
  /// With Order::Starve: fibres of this group (the role) run only when no other can.
  unsigned starved = 0;
  /// Whether a wgmma reads its operands when it is waited for, instead of when it is issued.
  bool lateProducts = false;
  /// The policies of a seed: 0 round robin and eager, 1 and 2 starve a role with late copies, others random.
  static Schedule ofSeed(uint64_t seed, unsigned roles);
};

class Scheduler {
public:
  explicit Scheduler(Schedule schedule);
  ~Scheduler();
  Scheduler(const Scheduler &) = delete;
  Scheduler &operator=(const Scheduler &) = delete;

  /// Adds a fibre; `group` is its role. May be called by a running fibre.
  void spawn(unsigned group, std::function<void()> body);
  /// Something that has to happen once, at a moment of the policy's choice.
  void defer(std::function<void()> event);

  /// Runs until every fibre has ended and every event has happened. False: a deadlock, or `maxSwitches` ran
  /// out; the fibres that still wait are described to `onStuck` and then cancelled.
  bool run(uint64_t maxSwitches, const std::function<void(const std::string &)> &onStuck);

  // Called by the running fibre.
  /// Waits until `ready`; `what` describes the wait for the report of a deadlock. False: cancelled, go home.
  [[nodiscard]] bool waitUntil(std::function<bool()> ready, std::function<std::string()> what);
  /// Lets others run.
  void point();
  bool cancelled() const { return cancelling; }
  /// A spurious no: now and then true under random schedules.
  bool whim() { return schedule.order == Order::Random && draw(2) == 0; }

  uint64_t switches() const { return switchCount; }
  bool outOfBudget() const { return exhausted; }
  Schedule schedule;

private:
  struct Fibre;
  std::vector<std::unique_ptr<Fibre>> fibres;
  std::deque<std::function<void()>> events;
  std::vector<void *> spareStacks;
  Fibre *current = nullptr;
  void *mainContext = nullptr;
  size_t cursor = 0;
  uint64_t draws = 0, switchCount = 0;
  bool cancelling = false, exhausted = false;
  RandomStream random;

  uint64_t draw(uint64_t bound) { return random.bits(draws++) % bound; }
  Fibre *pick();
  void resume(Fibre &fibre);
  void suspend();
  void happen(size_t index);
  static void entry(unsigned high, unsigned low);
};

} // namespace k3::emu

#endif // K3_EMULATOR_SCHEDULER_H
