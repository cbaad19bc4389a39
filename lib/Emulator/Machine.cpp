//===- Machine.cpp - Grids of CTAs on emulated memory ---------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Machine.h"
#include "lib/Emulator/Team.h"

#include <algorithm>

namespace k3::emu {

AgentLayout::AgentLayout(const KernelSpec &kernel) {
  for (const RoleSpec &role : kernel.roles) {
    warps += role.instances * role.warps;
    teams += role.instances;
  }
  for (const MbarSpec &bar : kernel.mbars)
    slots += bar.slots;
}

Machine::Machine(Options options) : options(options) {}
Machine::~Machine() = default;

uint32_t Machine::op(std::string text) {
  ops.push_back(std::move(text));
  return static_cast<uint32_t>(ops.size() - 1);
}

void Machine::newStep() {
  grids.firstOfStep = nextCta;
  words.clear();
}

void Machine::finding(FindingKind kind, uint64_t key, std::string text) {
  if (!scheduler || !scheduler->cancelled())
    report.add(kind, key, std::move(text));
}

std::string Machine::agentName(AgentId agent, uint32_t time) const {
  uint32_t cta = ctaOf(agent), local = localOf(agent);
  const Launch *launch = nullptr;
  for (const Launch &l : launches)
    if (l.firstCta <= cta)
      launch = &l;
  if (!launch)
    return "the host";
  const AgentLayout &agents = launch->agents;
  std::string where = " of CTA " + std::to_string(cta - launch->firstCta);
  if (cta < grids.firstOfLaunch)
    where += " of the earlier grid '" + launch->kernel.name + "'";
  auto role = [&](unsigned team) {
    for (const RoleSpec &r : launch->kernel.roles) {
      if (team < r.instances)
        return "'" + r.name + "' " + std::to_string(team);
      team -= r.instances;
    }
    return std::string();
  };
  if (local < 2 * agents.warps) {
    unsigned warp = local % agents.warps, team = 0;
    for (const RoleSpec &r : launch->kernel.roles) {
      if (warp < r.instances * r.warps) {
        team += warp / r.warps;
        return (local < agents.warps ? "warp " : "cp.async of warp ") + std::to_string(warp % r.warps) +
               " of " + role(team) + where;
      }
      warp -= r.instances * r.warps;
      team += r.instances;
    }
  }
  if (local < agents.slot(0)) {
    unsigned queue = local - 2 * agents.warps;
    const char *names[] = {"wgmma group ", "source reads of bulk group ", "bulk group "};
    return names[queue % AgentLayout::kQueues] + std::to_string(time) + " of " +
           role(queue / AgentLayout::kQueues) + where;
  }
  unsigned slot = local - agents.slot(0);
  for (const MbarSpec &bar : launch->kernel.mbars) {
    if (slot < bar.slots)
      return "copy " + std::to_string(time - 1) + " on '" + bar.name + "'[" + std::to_string(slot) + "]" +
             where;
    slot -= bar.slots;
  }
  return "?";
}

std::string Machine::describe(const AccessRecord &record) const {
  return opText(record.op) + " (" + agentName(record.agent, record.time) + ")";
}

void Machine::conflict(Conflict kind, const Block &block, const AccessRecord &record, bool writes,
                       const AccessRecord &earlier, bool earlierWrote, uint64_t offset, unsigned size) {
  FindingKind finding = kind == Conflict::MissingFence    ? FindingKind::MissingFence
                        : kind == Conflict::MissingSync   ? FindingKind::MissingSync
                        : kind == Conflict::BeforePdlWait ? FindingKind::BeforePdlWait
                                                          : FindingKind::Race;
  // One finding per pair of operations, whichever happened to come first.
  uint64_t key =
      static_cast<uint64_t>(std::max(record.op, earlier.op)) << 32 | std::min(record.op, earlier.op);
  if (scheduler->cancelled() || report.seen(finding, key))
    return;
  std::string text = describe(record) + (writes ? " writes " : " reads ") + block.describe(offset, size) +
                     ", " + describe(earlier) + (earlierWrote ? " wrote" : " read") + " them before";
  switch (kind) {
  case Conflict::MissingFence:
    text += " with generic stores and no fence_proxy comes between";
    break;
  case Conflict::MissingSync:
    text += " in another lane and no warp_sync comes between";
    break;
  case Conflict::BeforePdlWait:
    text += " and pdl_wait has not been passed";
    break;
  default:
    text += " and nothing orders the two";
  }
  report.add(finding, key, std::move(text));
}

void Machine::startCluster() {
  Launch &launch = launches.back();
  const KernelSpec &kernel = launch.kernel;
  if (nextCluster * launch.grid.cluster >= launch.grid.ctas)
    return;
  auto cluster = std::make_unique<Cluster>();
  for (unsigned rank = 0; rank < launch.grid.cluster; ++rank) {
    auto cta = std::make_unique<Cta>();
    cta->index = nextCluster * launch.grid.cluster + rank;
    cta->number = launch.firstCta + cta->index;
    cta->rank = rank;
    cta->cluster = cluster.get();
    cta->shared =
        std::make_unique<Block>("shared memory", Space::Shared, kernel.sharedBytes, options.trackRaces);
    for (const SharedSpec &buffer : kernel.buffers)
      cta->shared->nameRegion(buffer.offset, buffer.bytes, buffer.name);
    unsigned slot = 0;
    for (const MbarSpec &bar : kernel.mbars) {
      std::vector<Mbarrier> slots;
      for (unsigned i = 0; i < bar.slots; ++i)
        slots.emplace_back(bar.arrivals, makeAgent(cta->number, launch.agents.slot(slot++)));
      cta->mbars.push_back(std::move(slots));
    }
    unsigned team = 0, warp = 0;
    for (unsigned role = 0; role < kernel.roles.size(); ++role)
      for (unsigned instance = 0; instance < kernel.roles[role].instances; ++instance) {
        unsigned warps = kernel.roles[role].warps;
        cta->teams.push_back(std::make_unique<Team>(*this, *cta, role, instance, team, warp, warps,
                                                    launch.agents, !launch.grid.dependent));
        ++team;
        warp += warps;
        cluster->barrier.expected += warps;
        ++cluster->running;
        ++cta->running;
      }
    cluster->ctas.push_back(std::move(cta));
  }
  ++nextCluster;
  for (std::unique_ptr<Cta> &cta : cluster->ctas)
    for (std::unique_ptr<Team> &team : cta->teams)
      scheduler->spawn(team->role, [this, team = team.get()] {
        (*body)(*team);
        team->finish();
        endTeam(team->cta);
      });
  live.push_back(std::move(cluster));
}

void Machine::endTeam(Cta &cta) {
  Cluster *cluster = cta.cluster;
  if (--cta.running == 0 && cta.copiesInFlight != 0) {
    finding(FindingKind::Lifetime, cta.index,
            "CTA " + std::to_string(cta.index) + " of '" + launches.back().kernel.name + "' ends while " +
                std::to_string(cta.copiesInFlight) + " copies into its shared memory are in flight");
    bool ended = scheduler->waitUntil([&] { return cta.copiesInFlight == 0; }, [] { return std::string(); });
    (void)ended;
  }
  if (--cluster->running != 0 || scheduler->cancelled())
    return;
  live.erase(std::find_if(live.begin(), live.end(), [&](const auto &c) { return c.get() == cluster; }));
  startCluster();
}

bool Machine::launch(const KernelSpec &kernel, const Grid &grid, const std::function<void(Team &)> &run) {
  launches.push_back({kernel, grid, AgentLayout(kernel), nextCta});
  grids.firstOfLaunch = nextCta;
  nextCta += grid.ctas;
  scheduler = std::make_unique<Scheduler>(options.schedule);
  body = &run;
  nextCluster = 0;
  live.clear();
  // Without a promise of residency a few are enough to see races between CTAs.
  unsigned together = grid.resident != 0 ? grid.resident : std::max(grid.cluster, 4u);
  for (unsigned n = 0; n < together && n < grid.ctas; n += grid.cluster)
    startCluster();
  bool ended = scheduler->run(options.maxSwitches, [&](const std::string &what) {
    if (!what.empty())
      report.add(scheduler->outOfBudget() ? FindingKind::Limit : FindingKind::Deadlock,
                 report.findings.size(), what);
  });
  if (!ended && scheduler->outOfBudget())
    report.add(FindingKind::Limit, 0,
               "'" + kernel.name + "' did not end within " + std::to_string(options.maxSwitches) +
                   " switches");
  if (!ended && nextCluster * grid.cluster < grid.ctas)
    report.add(FindingKind::Deadlock, ~0ull,
               std::to_string(grid.ctas - nextCluster * grid.cluster) + " CTAs of '" + kernel.name +
                   "' had not started; a kernel that awaits other CTAs declares how many are resident");
  report.switches += scheduler->switches();
  live.clear();
  scheduler.reset();
  return ended;
}

} // namespace k3::emu
