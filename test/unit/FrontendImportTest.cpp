//===- FrontendImportTest.cpp - The IR of a model directory ---------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Names.h"
#include "dialects/K3/K3Ops.h"
#include "frontend/HuggingFace/Import.h"
#include "test/unit/FrontendTestUtil.h"

#include "mlir/IR/Verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

using namespace k3;
using namespace k3::test;
using namespace mlir;

namespace {

/// Something that tells apart every input, its order and the symbol it is used with.
double scramble(llvm::StringRef symbol, llvm::ArrayRef<double> inputs) {
  double sum = 0.1 * (llvm::hash_value(symbol) % 1000) / 1000.0;
  for (size_t i = 0; i < inputs.size(); ++i)
    sum += inputs[i] * (1.0 + 0.37 * double(i));
  return sum / (1.0 + std::abs(sum));
}

std::string layerName(int64_t layer, const char *name) {
  return "layers." + std::to_string(layer) + "." + name;
}

/// Runs @step of a module on scalars: each op is a function of its inputs and its first symbol.
double interpret(func::FuncOp step) {
  llvm::DenseMap<Value, double> values;
  double result = 0;
  for (Operation &op : step.getBody().front()) {
    llvm::SmallVector<double> in;
    for (Value operand : op.getOperands())
      if (values.count(operand))
        in.push_back(values[operand]);
    double out = 0;
    if (auto mix = dyn_cast<AttnResOp>(op))
      out = scramble(mix.getQuery(), in);
    else if (auto norm = dyn_cast<RmsNormOp>(op))
      out = scramble(norm.getWeight(), in);
    else if (isa<arith::AddFOp>(op))
      out = in[0] + in[1];
    else if (isa<EmbeddingOp>(op))
      out = 0.5;
    else if (auto kda = dyn_cast<KdaOp>(op))
      out = scramble(cast<FlatSymbolRefAttr>(kda.getWeights().get("o")).getValue(), in);
    else if (auto mla = dyn_cast<GatedMlaOp>(op))
      out = scramble(cast<FlatSymbolRefAttr>(mla.getWeights().get("o")).getValue(), in);
    else if (isa<DenseFfnOp, LatentMoeOp>(op))
      out = scramble(
          cast<FlatSymbolRefAttr>(cast<DictionaryAttr>(op.getAttr("weights")).get("down")).getValue(), in);
    else if (isa<LmHeadOp>(op))
      result = in[0];
    if (op.getNumResults() == 1)
      values[op.getResult(0)] = out;
  }
  return result;
}

/// The same in the deferred form of inference engines: the FFN output of the layer before is added by the
/// next mix, which also writes the finished sum into slot l / block.
double deferred(int64_t layers, int64_t block) {
  std::vector<double> slots;
  double prefix = 0.5, delta = 0;
  for (int64_t l = 0; l < layers; ++l) {
    prefix += delta;
    std::vector<double> sources = slots;
    sources.push_back(prefix);
    double x = l == 0 ? prefix : scramble(layerName(l, "attn_query"), sources);
    bool boundary = l % block == 0;
    if (boundary) {
      slots.resize(l / block + 1);
      slots[l / block] = prefix;
    }
    double y = scramble(layerName(l, "o"), scramble(layerName(l, "input_norm"), x));
    prefix = boundary ? y : prefix + y;
    sources = slots;
    sources.push_back(prefix);
    double h = scramble(layerName(l, "mlp_query"), sources);
    delta = scramble(layerName(l, "down"), scramble(layerName(l, "post_norm"), h));
  }
  prefix += delta;
  slots.push_back(prefix);
  return scramble("out_query", slots);
}

class FrontendWiring : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(FrontendWiring, EqualsTheDeferredForm) {
  auto [layers, block] = GetParam();
  Expected<ModelConfig> c = parseConfig(configWithDepth(layers, block).dump(), "config.json");
  ASSERT_TRUE(c.ok()) << c.status().text();
  MLIRContext context;
  OwningOpRef<ModuleOp> module = buildModule(context, *c, textWeights(*c), {"f32", 256, 8, 4096}, {});
  ASSERT_TRUE(succeeded(verify(*module)));
  auto step = module->lookupSymbol<func::FuncOp>("step");
  EXPECT_DOUBLE_EQ(interpret(step), deferred(layers, block));
  // Sources of the last mix: the embedding, every finished block, the running sum.
  size_t most = 0;
  step.walk([&](AttnResOp mix) { most = std::max<size_t>(most, mix.getBank().size() + 1); });
  EXPECT_EQ(most, size_t((layers + block - 1) / block) + 1);
}

INSTANTIATE_TEST_SUITE_P(Shapes, FrontendWiring,
                         testing::Values(std::pair(13, 3), std::pair(12, 12), std::pair(9, 3),
                                         std::pair(24, 12), std::pair(5, 1)));

struct FrontendImport : testing::Test {
  MLIRContext context;
  ImportReport report;

  OwningOpRef<ModuleOp> import(const std::string &directory, ImportOptions options = {}) {
    auto module = importHuggingFace(context, directory, options, &report);
    if (!module) {
      ADD_FAILURE() << module.status().text();
      return {};
    }
    return std::move(*module);
  }
  std::string refusal(const std::string &directory, ImportOptions options = {}) {
    auto module = importHuggingFace(context, directory, options);
    return module ? "accepted" : module.status().text();
  }
};

TEST_F(FrontendImport, StepHasTheAbi) {
  auto module = import(K3_TINY_TEXT);
  ASSERT_TRUE(module && succeeded(verify(*module)));
  auto step = module->lookupSymbol<func::FuncOp>("step");
  ASSERT_TRUE(step);
  EXPECT_EQ(step.getNumArguments(), 11u);
  const char *names[] = {"tokens",      "cu_seqlens",  "context_lens", "read_slots",
                         "write_slots", "block_table", "logit_rows",   "draft_lens",
                         "accepted",    "ckpt_slots",  "ckpt_rows"};
  for (auto [argument, name] : llvm::zip_equal(step.getArguments(), names))
    EXPECT_EQ(locationName(argument.getLoc()), name);
  EXPECT_EQ(cast<RankedTensorType>(step.getArgument(5).getType()).getShape().back(), 4096 / 64);
  EXPECT_EQ(cast<RankedTensorType>(step.getResultTypes()[0]).getShape().back(), 256);
  for (const char *name : {"copy_state", "sample"})
    EXPECT_TRUE(module->lookupSymbol<func::FuncOp>(name)) << name;
}

TEST_F(FrontendImport, ValuesHaveTheNamesOfTheirTensors) {
  auto module = import(K3_TINY_TEXT);
  ASSERT_TRUE(module);
  std::set<std::string> names;
  module->walk([&](Operation *op) {
    if (op->getNumResults() == 1)
      names.insert(locationName(op->getLoc()));
  });
  for (const char *value : {"attn_in", "attn_out", "ffn_in", "ffn_out", "p"})
    for (int layer = 0; layer < 9; ++layer)
      EXPECT_TRUE(names.count("layer." + std::to_string(layer) + "." + value)) << layer << " " << value;
  EXPECT_TRUE(names.count("logits"));
}

TEST_F(FrontendImport, StateFollowsThePrecision) {
  for (const char *precision : {"f32", "bf16"}) {
    auto module = import(K3_TINY_TEXT, {precision});
    ASSERT_TRUE(module && succeeded(verify(*module)));
    auto element = [&](llvm::StringRef name) {
      return cast<RankedTensorType>(module->lookupSymbol<StateOp>(name).getType()).getElementType();
    };
    EXPECT_TRUE(element("layers.0.s").isF32());
    EXPECT_EQ(element("layers.0.conv").isF32(), std::string(precision) == "f32");
    EXPECT_EQ(element("layers.3.latent").isBF16(), std::string(precision) == "bf16");
  }
}

TEST_F(FrontendImport, OptionsOutOfRange) {
  ImportOptions options;
  options.maxContext = 5000;
  EXPECT_THAT(refusal(K3_TINY_TEXT, options), testing::HasSubstr("max-context is 5000, expected 1 to 4096"));
  options = {"fp8"};
  EXPECT_THAT(refusal(K3_TINY_TEXT, options), testing::HasSubstr("precision is 'fp8'"));
  options = {"f32", 0};
  EXPECT_THAT(refusal(K3_TINY_TEXT, options), testing::HasSubstr("max-tokens is 0"));
  EXPECT_THAT(refusal("/nowhere"), testing::HasSubstr("/nowhere: no such model directory"));
}

TEST_F(FrontendImport, ConfigAloneIsEnoughForRandomWeights) {
  ScratchFolder folder;
  writeText(folder.file("config.json"), tinyConfig().dump());
  ASSERT_TRUE(import(folder.path));
  ASSERT_EQ(report.remarks.size(), 1u);
  EXPECT_THAT(report.remarks[0], testing::HasSubstr("weights were not checked"));
}

TEST_F(FrontendImport, GeneratedModelsOfOddShape) {
  ScratchFolder folder;
  std::string make =
      "python3 -B " K3_TINY_TEXT "/../make_model.py " + folder.path +
      " --hidden 100 --heads 3 --head-dim 20 --layers 5 --full-attn 2,5 --block 2 --shards 3 --vocab 300"
      " --q-lora 33 --kv-lora 40 --nope 12 --rope 5 --v 17 --experts 5 --top 2 --latent 32 --moe-int 96"
      " --dense 77 --dense-layers 2 --shared 1 --kda-heads 130 2>/dev/null";
  ASSERT_EQ(std::system(make.c_str()), 0);
  auto module = import(folder.path);
  ASSERT_TRUE(module && succeeded(verify(*module)));
  EXPECT_TRUE(report.remarks.empty());
  auto decay = module->lookupSymbol<WeightOp>("layers.0.A_log");
  EXPECT_EQ(decay.getUsed(), 130);
  EXPECT_EQ(cast<RankedTensorType>(decay.getType()).getShape(), llvm::ArrayRef<int64_t>{256});
}

TEST_F(FrontendImport, TheReleasedModel) {
  const char *golden = std::getenv("K3_GOLDEN_DIR");
  std::string real = golden ? std::string(golden) + "/../kimi-k3" : "";
  if (real.empty() || !std::filesystem::exists(real + "/config.json")) {
    const char *ci = std::getenv("CI");
    ASSERT_FALSE(ci && std::string(ci) == "true") << "the released config is needed: " << real;
    GTEST_SKIP() << "no released config";
  }
  ScratchFolder folder;
  std::filesystem::copy_file(real + "/config.json", folder.file("config.json"));
  std::string unzip = "gzip -dc '" + real + "/model.safetensors.index.json.gz' > '" +
                      folder.file("model.safetensors.index.json") + "'";
  ASSERT_EQ(std::system(unzip.c_str()), 0);
  auto start = std::chrono::steady_clock::now();
  auto module = import(folder.path);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ASSERT_TRUE(module && succeeded(verify(*module)));
  EXPECT_EQ(report.inventory.textTensors, 497052u);
  EXPECT_EQ(report.inventory.textBytes, 1559965606912u);
  EXPECT_EQ(report.inventory.skippedTensors, 168u);
  EXPECT_EQ(report.inventory.skippedBytes, 894717952u);
  EXPECT_LT(seconds, 5.0);
  size_t ops = 0;
  module->walk([&](Operation *) { ++ops; });
  EXPECT_LT(ops, 20000u);
  RecordProperty("seconds", std::to_string(seconds));
  RecordProperty("ops", std::to_string(ops));
}

} // namespace
