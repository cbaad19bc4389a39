//===- Case.cpp - A kernel of a package and what it computes --------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/bench/Case.h"

#include "lib/Package/Expr.h"
#include "runtime/GpuLaunch.h"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace k3;
using namespace k3::bench;

double Problem::flops(int64_t rows) const {
  auto t = static_cast<double>(rows);
  switch (family) {
  case Family::Gemm:
    return 2 * t * static_cast<double>(weightRows()) * static_cast<double>(k);
  case Family::RmsNorm:
    return 4 * t * static_cast<double>(d);
  case Family::AttnRes: // two sums of products and a weighted sum per source; the norm
    return t * static_cast<double>(d) * (6.0 * static_cast<double>(sources) + (norm ? 4 : 0) + (addsDelta ? 1 : 0));
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Meta
//===----------------------------------------------------------------------===//

static Status readNumbers(const nlohmann::json &json, std::initializer_list<std::pair<const char *, int64_t *>> fields) {
  for (auto [name, value] : fields) {
    auto it = json.find(name);
    if (it == json.end() || !it->is_number() || it->get<double>() < 1)
      return badInput(std::string("has no positive number '") + name + "'");
    *value = it->get<int64_t>();
  }
  return Status::success();
}

static double readReal(const nlohmann::json &json, const char *name, double absent) {
  auto it = json.find(name);
  return it != json.end() && it->is_number() ? it->get<double>() : absent;
}

static std::string readText(const nlohmann::json &json, const char *name) {
  auto it = json.find(name);
  return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
}

static Status readProblem(nlohmann::json &json, Problem &problem) {
  std::string family = readText(json, "family");
  if (family == "gemm") {
    K3_TRY(readNumbers(json, {{"n", &problem.n}, {"k", &problem.k}}));
    std::string epilogue = readText(json, "epilogue");
    constexpr std::pair<const char *, Epilogue> names[] = {{"none", Epilogue::None},
                                                           {"residual_add", Epilogue::ResidualAdd},
                                                           {"situ_glu", Epilogue::SituGlu},
                                                           {"sigmoid_gate", Epilogue::SigmoidGate}};
    const auto *found = std::find_if(std::begin(names), std::end(names), [&](auto &entry) { return epilogue == entry.first; });
    if (found == std::end(names))
      return unsupported("has the epilogue '" + epilogue + "', which this tool cannot check");
    problem.epilogue = found->second;
    problem.beta = readReal(json, "beta", 0);
    problem.linearBeta = readReal(json, "linear_beta", 0);
    return Status::success();
  }
  problem.eps = readReal(json, "eps", 0);
  if (family == "rms_norm") {
    problem.family = Family::RmsNorm;
    return readNumbers(json, {{"d", &problem.d}});
  }
  if (family == "attn_res") {
    problem.family = Family::AttnRes;
    auto flag = [&](const char *name) { return json.contains(name) && json[name].is_boolean() && json[name].get<bool>(); };
    problem.addsDelta = flag("adds_delta");
    problem.writesBank = flag("writes_bank");
    problem.norm = flag("norm");
    return readNumbers(json, {{"d", &problem.d}, {"sources", &problem.sources}});
  }
  return unsupported("is of the family '" + family + "', which this tool cannot check");
}

Expected<Problem> bench::parseProblem(const std::string &kernel, const std::string &text) {
  std::string where = "the description of kernel '" + kernel + "' (meta \"kernel." + kernel + "\") ";
  nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return badInput(where + "is no JSON object");
  Problem problem;
  if (Status status = readProblem(json, problem); !status.ok())
    return Status(status.code(), where + status.text());
  problem.schedule = readText(json, "schedule");
  if (json.contains("operands") && json["operands"].is_array())
    for (const auto &number : json["operands"])
      problem.operands.push_back(number.is_number_integer() ? number.get<int>() : -1);
  json.erase("schedule");
  json.erase("operands");
  problem.text = json.dump();
  return problem;
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

Expected<Case> bench::caseOf(const fb::PackageT &package, const GraphFunction &graph, const fb::ProgramT &program) {
  std::string where = "function '" + graph.name + "'";
  const fb::LaunchT *launch = program.entries.size() == 1 ? program.entries[0]->op.AsLaunch() : nullptr;
  if (!launch)
    return unsupported(where + " is a program of " + std::to_string(program.entries.size()) +
                       " entries; k3-bench takes functions of one kernel");
  Case result{graph.name, &program, launch, package.kernels[launch->kernel]->symbol, {}};
  if (!isGpuKernel(package, launch->kernel))
    return unsupported(where + " runs on the host");
  auto meta = std::find_if(package.meta.begin(), package.meta.end(),
                           [&](const auto &entry) { return entry->key == "kernel." + result.kernel; });
  if (meta == package.meta.end())
    return unsupported(where + ": the package does not say what kernel '" + result.kernel + "' computes (meta \"kernel." +
                       result.kernel + "\"); compile it again with this version");
  K3_ASSIGN(result.problem, parseProblem(result.kernel, (*meta)->value));
  return result;
}

/// The numbers that the problem's operands have: read, constant, written.
static std::array<std::vector<unsigned>, 3> numbersOf(const Problem &problem) {
  if (problem.family == Family::RmsNorm)
    return {{{0}, {1}, {2}}};
  if (problem.family == Family::Gemm) {
    bool extra = problem.epilogue == Epilogue::ResidualAdd || problem.epilogue == Epilogue::SigmoidGate;
    return {{extra ? std::vector<unsigned>{0, 3} : std::vector<unsigned>{0}, {1}, {2}}};
  }
  std::array<std::vector<unsigned>, 3> numbers{{{0}, {2}, {}}};
  if (problem.addsDelta)
    numbers[0].push_back(1), numbers[2].push_back(4);
  if (problem.norm)
    numbers[1].push_back(3);
  numbers[2].push_back(5);
  if (problem.writesBank)
    numbers[2].push_back(6);
  for (int64_t i = 0; i + 1 < problem.sources; ++i)
    numbers[0].push_back(static_cast<unsigned>(7 + i));
  return numbers;
}

static const fb::ViewT *viewOf(const fb::ArgBoxT &box) {
  if (const fb::BufferArgT *buffer = box.arg.AsBufferArg())
    return buffer->view.get();
  if (const fb::TensorMapArgT *map = box.arg.AsTensorMapArg())
    return map->view.get();
  return nullptr;
}

static Status checkDense(const ResolvedView &view, const std::string &where) {
  int64_t expected = 1;
  for (size_t i = view.rank; i-- > 0; expected *= view.dims[i])
    if (view.dims[i] != 1 && view.strides[i] != expected)
      return unsupported(where + " is not dense");
  if (view.dtype != fb::DType::BF16 && view.dtype != fb::DType::F32)
    return unsupported(where + " is neither bf16 nor f32");
  return Status::success();
}

Expected<std::vector<Operand>> bench::operandsOf(const fb::PackageT &package, const Case &which, const SymbolValues &symbols) {
  // Views resolve to their offsets over buffers at address 0.
  std::vector<DeviceMemory> buffers(package.buffers.size(), DeviceMemory{nullptr, uint64_t(1) << 62});
  std::string where = "function '" + which.function + "': ";
  std::vector<Operand> operands;
  std::array<std::vector<unsigned>, 3> numbers = numbersOf(which.problem);
  std::array<size_t, 3> used{};
  for (size_t i = 0; i < which.launch->args.size(); ++i) {
    const fb::ViewT *view = viewOf(*which.launch->args[i]);
    if (!view)
      continue;
    Operand operand;
    operand.buffer = view->buffer;
    K3_ASSIGN(operand.view, resolveView(*view, symbols, buffers));
    operand.offset = reinterpret_cast<uintptr_t>(operand.view.data);
    operand.view.data = nullptr;
    if (std::any_of(operands.begin(), operands.end(), [&](const Operand &other) {
          return other.buffer == operand.buffer && other.offset == operand.offset;
        }))
      continue;
    K3_TRY(checkDense(operand.view, where + "argument " + std::to_string(i)));
    operand.constant = package.buffers[operand.buffer]->space == fb::Space::Weights;
    operand.written = std::any_of(which.program->io.begin(), which.program->io.end(), [&](const auto &io) {
      return io->output && io->buffer == operand.buffer;
    });
    size_t kind = operand.written ? 2 : operand.constant ? 1 : 0;
    size_t place = used[kind]++;
    if (i < which.problem.operands.size() && which.problem.operands[i] >= 0)
      operand.number = static_cast<unsigned>(which.problem.operands[i]);
    else if (place < numbers[kind].size())
      operand.number = numbers[kind][place];
    operands.push_back(operand);
  }
  constexpr const char *kinds[] = {"inputs", "weights", "outputs"};
  for (size_t kind = 0; kind < 3; ++kind)
    if (used[kind] != numbers[kind].size())
      return badInput(where + "kernel '" + which.kernel + "' takes " + std::to_string(used[kind]) + " " + kinds[kind] +
                      ", what it says to compute has " + std::to_string(numbers[kind].size()));
  std::sort(operands.begin(), operands.end(), [](const Operand &a, const Operand &b) { return a.number < b.number; });
  return operands;
}

const Operand *bench::findOperand(const std::vector<Operand> &operands, unsigned number) {
  auto it = std::find_if(operands.begin(), operands.end(), [&](const Operand &operand) { return operand.number == number; });
  return it == operands.end() ? nullptr : &*it;
}
