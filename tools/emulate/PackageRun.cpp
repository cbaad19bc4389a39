//===- PackageRun.cpp - Runs the graphs of a package on the Emulator ------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/emulate/PackageRun.h"

#include "lib/Emulator/EmulatorDevice.h"
#include "lib/Mx/Formats.h"
#include "lib/Safetensors/Writer.h"
#include "lib/Support/Random.h"
#include "runtime/Context.h"
#include "runtime/Weights.h"

#include <cstring>

using namespace k3;
using namespace k3::emulate;

/// Random elements of an input, of bf16, f32 or i32 (0).
static Expected<HostArray> randomInput(const fb::IoT &io, int64_t rows, uint64_t stream) {
  HostArray array;
  array.dtype = io.dtype;
  int64_t count = 1;
  for (const auto &dim : io.dims) {
    SymbolValues none;
    Expected<int64_t> fixed = evaluate(*dim->size, none);
    array.dims.push_back(fixed ? *fixed : rows);
    count *= array.dims.back();
  }
  RandomStream random(11, stream);
  if (io.dtype == fb::DType::BF16) {
    array.bytes.resize(count * 2);
    for (int64_t i = 0; i < count; ++i) {
      uint16_t code = mx::encodeBf16(random.normal(i));
      std::memcpy(array.bytes.data() + 2 * i, &code, 2);
    }
  } else if (io.dtype == fb::DType::F32) {
    array.bytes.resize(count * 4);
    for (int64_t i = 0; i < count; ++i) {
      float value = random.normal(i);
      std::memcpy(array.bytes.data() + 4 * i, &value, 4);
    }
  } else {
    return unsupported("input '" + io.name + "' is neither bf16 nor f32");
  }
  return array;
}

static std::vector<float> asF32(const HostArray &array) {
  bool half = array.dtype == fb::DType::BF16;
  std::vector<float> values(array.bytes.size() / (half ? 2 : 4));
  for (size_t i = 0; i < values.size(); ++i) {
    if (!half) {
      std::memcpy(&values[i], array.bytes.data() + 4 * i, 4);
      continue;
    }
    uint16_t code;
    std::memcpy(&code, array.bytes.data() + 2 * i, 2);
    values[i] = mx::decodeBf16(code);
  }
  return values;
}

Expected<emu::Report> k3::emulate::runPackage(mlir::ModuleOp module, const PackageOptions &options,
                                              uint64_t &launches) {
  K3_ASSIGN(std::shared_ptr<const ModelPackage> package, ModelPackage::load(options.package));
  K3_ASSIGN(std::shared_ptr<const WeightSource> weights, openWeights(package->get(), options.weights));
  emu::Report report;
  std::map<std::string, std::pair<std::vector<int64_t>, std::vector<float>>> kept;
  bool any = false;
  for (unsigned seed = 0; seed < options.seeds; ++seed) {
    auto made = std::make_unique<emu::EmulatorDevice>(
        module, emu::Options{emu::Schedule::ofSeed(seed, 2), options.trackRaces});
    emu::EmulatorDevice &device = *made;
    K3_ASSIGN(std::unique_ptr<Context> context, Context::create(package, *weights, {}, std::move(made)));
    for (const GraphFunction &graph : package->graphs()) {
      if (!options.graph.empty() && graph.name != options.graph)
        continue;
      any = true;
      Engine::NamedArrays inputs, outputs;
      for (const auto &io : graph.first().io) {
        if (io->output)
          continue;
        K3_ASSIGN(inputs[io->name], randomInput(*io, options.rows, inputs.size()));
      }
      // A finding fails the launch; it is in the report.
      if (Status status = context->engine().runGraph(graph, inputs, outputs);
          !status.ok() && device.report().clean())
        return std::move(status).withContext("graph '" + graph.name + "'");
      for (const auto *arrays : {&inputs, &outputs})
        for (const auto &[name, array] : *arrays) {
          std::pair<std::vector<int64_t>, std::vector<float>> value{array.dims, asF32(array)};
          auto [at, fresh] = kept.try_emplace(graph.name + "." + name, value);
          if (!fresh && device.report().clean() &&
              std::memcmp(at->second.second.data(), value.second.data(), 4 * value.second.size()) != 0)
            report.add(emu::FindingKind::Race, report.findings.size(),
                       "'" + at->first + "' differs between seed 0 and seed " + std::to_string(seed));
        }
    }
    report.append(device.report());
    launches += device.launches();
  }
  if (!any)
    return badUsage(options.package + " has no graph '" + options.graph + "'");
  if (!options.output.empty()) {
    SafetensorsWriter writer;
    for (const auto &[name, value] : kept)
      K3_TRY(writer.add(name, DType::F32, value.first, value.second));
    K3_TRY(writer.write(options.output));
  }
  return report;
}
