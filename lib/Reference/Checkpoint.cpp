//===- Checkpoint.cpp - The reference model of a model directory ----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Reference/Checkpoint.h"
#include "lib/Mx/Formats.h"

#include <nlohmann/json.hpp>

using namespace k3;
using namespace k3::reference;

namespace {

/// Fields of one JSON object; the first that is missing or of another type is remembered.
class Fields {
public:
  Fields(const nlohmann::json &object, std::string where) : object(object), where(std::move(where)) {}

  void read(const char *name, size_t &value) {
    if (const nlohmann::json *field =
            find(name, [](const nlohmann::json &f) { return f.is_number_unsigned(); }))
      value = field->get<size_t>();
  }
  void read(const char *name, double &value) {
    if (const nlohmann::json *field = find(name, [](const nlohmann::json &f) { return f.is_number(); }))
      value = field->get<double>();
  }
  void read(const char *name, bool &value) {
    if (const nlohmann::json *field = find(name, [](const nlohmann::json &f) { return f.is_boolean(); }))
      value = field->get<bool>();
  }
  void read(const char *name, std::vector<size_t> &value) {
    auto isList = [](const nlohmann::json &f) {
      return f.is_array() &&
             std::all_of(f.begin(), f.end(), [](const auto &e) { return e.is_number_unsigned(); });
    };
    if (const nlohmann::json *field = find(name, isList))
      value = field->get<std::vector<size_t>>();
  }
  const Status &status() const { return failure; }

private:
  template <typename Check>
  const nlohmann::json *find(const char *name, Check check) {
    auto field = object.find(name);
    if (field != object.end() && check(*field))
      return &*field;
    if (failure.ok())
      failure = badInput(where + ": field '" + name + "' is missing or has another type");
    return nullptr;
  }

  const nlohmann::json &object;
  std::string where;
  Status failure;
};

} // namespace

Expected<Config> reference::readConfig(const std::string &directory) {
  std::string path = directory + "/config.json";
  K3_ASSIGN(MappedFile file, MappedFile::open(path));
  nlohmann::json json = nlohmann::json::parse(file.text().begin(), file.text().end(), nullptr, false);
  if (!json.is_object() || !json.contains("text_config") || !json["text_config"].is_object() ||
      !json["text_config"].contains("linear_attn_config") ||
      !json["text_config"]["linear_attn_config"].is_object())
    return badInput(path + ": expected a JSON object with text_config.linear_attn_config");
  Config config{};
  config.mlaNormEps = 1e-6;
  Fields text(json["text_config"], path + ": text_config");
  text.read("hidden_size", config.hiddenSize);
  text.read("num_hidden_layers", config.numHiddenLayers);
  text.read("vocab_size", config.vocabSize);
  text.read("rms_norm_eps", config.rmsNormEps);
  text.read("attn_res_block_size", config.attnResBlockSize);
  text.read("num_attention_heads", config.numAttentionHeads);
  text.read("q_lora_rank", config.qLoraRank);
  text.read("kv_lora_rank", config.kvLoraRank);
  text.read("qk_nope_head_dim", config.qkNopeHeadDim);
  text.read("qk_rope_head_dim", config.qkRopeHeadDim);
  text.read("v_head_dim", config.vHeadDim);
  text.read("first_k_dense_replace", config.firstKDenseReplace);
  text.read("intermediate_size", config.intermediateSize);
  text.read("num_experts", config.numExperts);
  text.read("num_shared_experts", config.numSharedExperts);
  text.read("moe_intermediate_size", config.moeIntermediateSize);
  text.read("num_experts_per_token", config.numExpertsPerToken);
  text.read("routed_expert_hidden_size", config.routedExpertHiddenSize);
  text.read("moe_renormalize", config.moeRenormalize);
  text.read("routed_scaling_factor", config.routedScalingFactor);
  text.read("activation_situ_beta", config.situBeta);
  text.read("activation_situ_linear_beta", config.situLinearBeta);
  K3_TRY(Status(text.status()));
  Fields linear(json["text_config"]["linear_attn_config"], path + ": linear_attn_config");
  linear.read("num_heads", config.kdaHeads);
  linear.read("head_dim", config.kdaHeadDim);
  linear.read("short_conv_kernel_size", config.shortConvKernelSize);
  linear.read("gate_lower_bound", config.gateLowerBound);
  linear.read("full_attn_layers", config.fullAttnLayers);
  K3_TRY(Status(linear.status()));
  return config;
}

/// All elements of a tensor of C++ type T through `convert`.
template <typename T, typename Convert>
static Values converted(const TensorView &tensor, Convert convert) {
  Values values(tensor.elements());
  for (size_t i = 0; i < values.size(); ++i) {
    T element;
    std::memcpy(&element, tensor.bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = convert(element);
  }
  return values;
}

Expected<Values> reference::toDoubles(const TensorView &tensor) {
  auto same = [](auto element) { return static_cast<double>(element); };
  switch (tensor.dtype) {
  case DType::F64:
    return converted<double>(tensor, same);
  case DType::F32:
    return converted<float>(tensor, same);
  case DType::BF16:
    return converted<uint16_t>(tensor, [](uint16_t code) { return mx::decodeBf16(code); });
  case DType::F16:
    return converted<uint16_t>(tensor, [](uint16_t code) { return mx::decodeF16(code); });
  case DType::F8E4M3:
    return converted<uint8_t>(tensor, [](uint8_t code) { return mx::decode(mx::e4m3, code); });
  case DType::F8E5M2:
    return converted<uint8_t>(tensor, [](uint8_t code) { return mx::decode(mx::e5m2, code); });
  case DType::F8E8M0:
    return converted<uint8_t>(tensor, [](uint8_t code) { return mx::decodeE8m0(code); });
  case DType::I64:
    return converted<int64_t>(tensor, same);
  case DType::I32:
    return converted<int32_t>(tensor, same);
  case DType::I16:
    return converted<int16_t>(tensor, same);
  case DType::I8:
    return converted<int8_t>(tensor, same);
  case DType::U64:
    return converted<uint64_t>(tensor, same);
  case DType::U32:
    return converted<uint32_t>(tensor, same);
  case DType::U16:
    return converted<uint16_t>(tensor, same);
  case DType::U8:
  case DType::Bool:
    return converted<uint8_t>(tensor, same);
  case DType::F6E2M3:
  case DType::F6E3M2:
  case DType::F4:
    break;
  }
  return unsupported(std::string(tensor.file) + ": tensor '" + std::string(tensor.name) + "' is " +
                     tensor.typeText() + ", which is not read as numbers without a scale");
}

/// `name`.weight_packed and `name`.weight_scale, decoded.
static Expected<Values> mxMatrix(const Checkpoint &checkpoint, const std::string &name) {
  K3_ASSIGN(TensorView packed, checkpoint.lookup(name + ".weight_packed"));
  K3_ASSIGN(TensorView scales, checkpoint.lookup(name + ".weight_scale"));
  int64_t rows = packed.shape.size() == 2 ? packed.shape[0] : 0, blocks = rows ? packed.shape[1] / 16 : 0;
  int64_t packedShape[] = {rows, blocks * 16}, scaleShape[] = {rows, blocks};
  K3_TRY(checkTensor(packed, DType::U8, packedShape, "half a byte per weight, in blocks of 32"));
  K3_TRY(checkTensor(scales, DType::U8, scaleShape, "one scale per 32 weights"));
  auto bytes = [](const TensorView &tensor) {
    return std::span(reinterpret_cast<const uint8_t *>(tensor.bytes.data()), tensor.bytes.size());
  };
  return decodeMx(
      {static_cast<size_t>(rows), static_cast<size_t>(blocks) * 32, bytes(packed), bytes(scales)});
}

WeightLookup reference::checkpointWeights(std::shared_ptr<const Checkpoint> checkpoint) {
  return [checkpoint](const std::string &name) -> Expected<Values> {
    if (!checkpoint->contains(name) && checkpoint->contains(name + ".weight_packed"))
      return mxMatrix(*checkpoint, name);
    K3_ASSIGN(TensorView tensor, checkpoint->lookup(name));
    return toDoubles(tensor);
  };
}

Expected<Model> reference::loadModel(const std::string &directory) {
  K3_ASSIGN(Config config, readConfig(directory));
  K3_ASSIGN(std::unique_ptr<Checkpoint> checkpoint, Checkpoint::open(directory));
  return Model(std::move(config), checkpointWeights(std::move(checkpoint)));
}
