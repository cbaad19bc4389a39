//===- Program.cpp - A tile.kernel, decoded and run -----------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Program.h"
#include "lib/Emulator/Decoder.h"

using namespace mlir;

namespace k3::emu {

Program::Program(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Program::~Program() = default;

const KernelSpec &Program::kernel() const { return impl->spec; }

Expected<std::unique_ptr<Program>> Program::decode(tile::KernelOp kernel) {
  auto impl = std::make_unique<Impl>();
  impl->op = kernel;
  K3_TRY(Decoder(*impl).decodeKernel());
  return std::unique_ptr<Program>(new Program(std::move(impl)));
}

/// The arguments as values, checked against the signature.
static Expected<std::vector<Value>> bind(tile::KernelOp kernel, const LaunchConfig &config) {
  ArrayRef<Type> types = kernel.getArgumentTypes();
  std::string name = "kernel '" + kernel.getSymName().str() + "'";
  if (config.arguments.size() != types.size())
    return badInput(name + " takes " + std::to_string(types.size()) + " arguments, the launch has " +
                    std::to_string(config.arguments.size()));
  std::vector<Value> values;
  for (unsigned i = 0; i < types.size(); ++i) {
    const Argument &from = config.arguments[i];
    Value value;
    value.i = from.integer;
    value.f = from.real;
    if (isa<tile::ViewType, tile::MapType>(types[i])) {
      if (!from.array.block)
        return badInput(name + ": argument " + std::to_string(i) + " is memory, the launch gives none");
      auto array = std::make_shared<Array>(from.array);
      if (auto view = dyn_cast<tile::ViewType>(types[i])) {
        array->dims.assign(view.getShape().begin(), view.getShape().end());
        auto strides = view.getAllStrides();
        array->strides.assign(strides.begin(), strides.end());
      } else if (array->dims.size() != cast<tile::MapType>(types[i]).getBox().size() ||
                 array->strides.size() != array->dims.size()) {
        return badInput(name + ": argument " + std::to_string(i) + " is a map of rank " +
                        std::to_string(cast<tile::MapType>(types[i]).getBox().size()) +
                        ", the launch describes " + std::to_string(array->dims.size()) + " dimensions");
      }
      value.array = std::move(array);
    }
    values.push_back(std::move(value));
  }
  return values;
}

Status Program::run(Machine &machine, const LaunchConfig &config) const {
  K3_ASSIGN(std::vector<Value> arguments, bind(impl->op, config));
  unsigned ctas = config.grid[0] * config.grid[1] * config.grid[2];
  std::string name = "kernel '" + impl->spec.name + "'";
  if (ctas == 0 || config.grid[0] % impl->clusterSize != 0)
    return badInput(name + " runs in clusters of " + std::to_string(impl->clusterSize) + ", the grid has " +
                    std::to_string(config.grid[0]) + " CTAs along x");
  auto [known, fresh] = machine.firstOps.try_emplace(this, 0);
  for (size_t i = 0; fresh && i < impl->ops.size(); ++i) {
    uint32_t number = machine.op(impl->ops[i]);
    known->second = i == 0 ? number : known->second;
  }
  uint32_t firstOp = known->second;
  Grid grid;
  grid.ctas = ctas;
  grid.cluster = static_cast<unsigned>(impl->clusterSize);
  // Residency is a promise about the whole grid: CTAs that wait for each other all run.
  grid.resident = impl->resident != 0 ? ctas : 0;
  if (impl->resident != 0 && static_cast<int64_t>(ctas) > impl->resident)
    return badInput(name + " declares " + std::to_string(impl->resident) + " resident CTAs, the grid has " +
                    std::to_string(ctas));
  grid.dependent = config.dependent;
  machine.launch(impl->spec, grid, [&](Team &team) {
    Frame frame{team, config, firstOp, impl->clusterSize, std::vector<Value>(impl->valueCount)};
    for (size_t i = 0; i < arguments.size(); ++i)
      frame.values[impl->arguments[i]] = arguments[i];
    const RoleCode &role = impl->roles[team.role];
    frame.values[role.instance].i = team.instance;
    if (impl->prologue->run(frame))
      (void)role.code->run(frame);
  });
  for (unsigned i = 0; config.checkOutputs && i < config.arguments.size(); ++i) {
    if (!isa<tile::ViewType>(impl->op.getArgumentTypes()[i]) ||
        impl->op.getArgRole(i) != tile::ArgRole::StepOut)
      continue;
    const Array &array = config.arguments[i].array;
    if (std::optional<uint64_t> bad = array.block->firstPoison(array.offset, array.end - array.offset))
      machine.report.add(FindingKind::Poison, ~uint64_t(i),
                         name + " has not written byte " + std::to_string(*bad - array.offset) +
                             " of its output '" + array.block->name + "'");
  }
  return Status::success();
}

Expected<Report> run(tile::KernelOp kernel, const LaunchConfig &config, const Options &options) {
  K3_ASSIGN(std::unique_ptr<Program> program, Program::decode(kernel));
  Machine machine(options);
  K3_TRY(program->run(machine, config));
  return std::move(machine.report);
}

} // namespace k3::emu
