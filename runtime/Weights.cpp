//===- Weights.cpp - Where @pack takes checkpoint tensors from ------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Weights.h"

#include "lib/Mx/Block.h"
#include "lib/Package/Manifest.h"
#include "lib/Safetensors/Checkpoint.h"
#include "lib/Support/Text.h"
#include "runtime/WeightInit.h"

#include <algorithm>

using namespace k3;

uint64_t k3::usedBytes(const fb::WeightT &weight, unsigned part) {
  uint64_t bytes = denseBytes(weight.parts[part]->dtype, weight.parts[part]->shape).value_or(0);
  uint64_t rows = weight.parts[part]->shape.empty() ? 1 : weight.parts[part]->shape[0];
  return weight.used && weight.used < rows ? bytes / rows * weight.used : bytes;
}

/// Whether `part` holds the scale bytes of an MX weight: two parts, the other one the packed nibbles.
static bool isMxScalePart(const fb::WeightT &weight, unsigned part) {
  return weight.parts.size() == 2 && weight.parts[part]->suffix.ends_with("_scale") &&
         weight.parts[1 - part]->suffix.ends_with("_packed") && weight.parts[part]->shape.size() == 2;
}

static std::span<const uint8_t> asBytes(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()};
}

namespace {

//===----------------------------------------------------------------------===//
// Checkpoint
//===----------------------------------------------------------------------===//

class CheckpointWeights final : public WeightSource {
public:
  explicit CheckpointWeights(std::unique_ptr<Checkpoint> checkpoint) : checkpoint(std::move(checkpoint)) {}

  Status check(const fb::PackageT &package) const;
  Expected<std::span<const std::byte>> tensor(const fb::WeightT &weight, uint64_t member, unsigned part,
                                              std::vector<std::byte> &scratch) const override;

private:
  std::unique_ptr<Checkpoint> checkpoint;
};

/// Type and shape against the manifest. A weight with `used` may have more (padding) or fewer rows than the
/// manifest says, but not fewer than are used.
Status checkTensorOf(const fb::WeightT &weight, unsigned part, const TensorView &tensor) {
  const fb::PartT &expected = *weight.parts[part];
  bool typeFits = dtypeName(tensor.dtype) == dtypeName(expected.dtype);
  bool shapeFits = tensor.shape.size() == expected.shape.size();
  for (size_t i = 0; shapeFits && i < tensor.shape.size(); ++i) {
    auto extent = static_cast<uint64_t>(tensor.shape[i]);
    shapeFits = i == 0 && weight.used ? extent >= weight.used : extent == expected.shape[i];
  }
  if (typeFits && shapeFits)
    return Status::success();
  std::vector<int64_t> shape(expected.shape.begin(), expected.shape.end());
  std::string needs = std::string(dtypeName(expected.dtype)) + " " + shapeText(shape);
  if (weight.used)
    needs += " with at least " + std::to_string(weight.used) + " rows";
  return badInput(std::string(tensor.file) + ": tensor '" + std::string(tensor.name) + "' is " +
                  tensor.typeText() + ", the package needs " + needs + " (weight '" + weight.name + "')");
}

Status CheckpointWeights::check(const fb::PackageT &package) const {
  Status first;
  uint64_t further = 0;
  auto note = [&](Status status) {
    if (status.ok())
      return;
    if (first.ok())
      first = std::move(status);
    else
      ++further;
  };
  K3_TRY(forEachTensor(package, [&](const ManifestTensor &wanted) {
    if (!checkpoint->contains(wanted.name)) {
      if (!wanted.weight.optional)
        note(badInput(checkpoint->path() + ": tensor '" + wanted.name + "' is missing (weight '" +
                      wanted.weight.name + "')"));
      return Status::success();
    }
    auto found = checkpoint->lookup(wanted.name);
    note(found ? checkTensorOf(wanted.weight, wanted.part, *found) : found.takeStatus());
    return Status::success();
  }));
  if (first.ok() || further == 0)
    return first;
  return {first.code(), first.text() + "; " + groupDigits(further) + " more tensors are wrong or missing"};
}

Expected<std::span<const std::byte>> CheckpointWeights::tensor(const fb::WeightT &weight, uint64_t member,
                                                               unsigned part,
                                                               std::vector<std::byte> &scratch) const {
  K3_ASSIGN(TensorView found, checkpoint->lookup(tensorName(weight, member, part)));
  if (isMxScalePart(weight, part)) {
    K3_ASSIGN(TensorView packed, checkpoint->lookup(tensorName(weight, member, 1 - part)));
    const auto &shape = weight.parts[part]->shape;
    if (packed.bytes.size() != found.bytes.size() * mx::blockSize / 2)
      return badInput(std::string(found.file) + ": tensor '" + std::string(found.name) + "' has " +
                      std::to_string(found.bytes.size()) + " scales for " +
                      std::to_string(packed.bytes.size()) + " bytes of values");
    if (auto bad =
            mx::findBadScale(asBytes(packed.bytes), asBytes(found.bytes), shape[0], shape[1] * mx::blockSize))
      return badInput(std::string(found.file) + ": tensor '" + std::string(found.name) + "', " + bad->text());
  }
  return found.bytes.first(std::min<uint64_t>(usedBytes(weight, part), found.bytes.size()));
}

//===----------------------------------------------------------------------===//
// Random
//===----------------------------------------------------------------------===//

class RandomWeights final : public WeightSource {
public:
  explicit RandomWeights(uint64_t seed) : seed(seed) {}

  static Status check(const fb::PackageT &package) {
    for (const auto &weight : package.weights) {
      auto rule = InitRule::parse(weight->init);
      if (!rule)
        return rule.takeStatus().withContext("weight '" + weight->name + "'");
    }
    return Status::success();
  }

  Expected<std::span<const std::byte>> tensor(const fb::WeightT &weight, uint64_t member, unsigned part,
                                              std::vector<std::byte> &scratch) const override {
    std::string name = tensorName(weight, member, part);
    K3_ASSIGN(InitRule rule, InitRule::parse(weight.init));
    scratch.resize(usedBytes(weight, part));
    K3_TRY(fillByRule(rule, seed, name, weight.parts[part]->dtype, isMxScalePart(weight, part), scratch)
               .withContext("random weights: tensor '" + name + "'"));
    return std::span<const std::byte>(scratch);
  }

private:
  uint64_t seed;
};

} // namespace

Expected<std::shared_ptr<const WeightSource>> k3::openWeights(const fb::PackageT &package,
                                                              const std::string &source) {
  constexpr std::string_view prefix = "random:";
  if (source.starts_with(prefix)) {
    auto seed = parseInt(std::string_view(source).substr(prefix.size()));
    if (!seed)
      return badUsage("weights '" + source + "': the seed must be an integer, as in random:1");
    K3_TRY(RandomWeights::check(package));
    return std::shared_ptr<const WeightSource>(std::make_shared<RandomWeights>(static_cast<uint64_t>(*seed)));
  }
  K3_ASSIGN(std::unique_ptr<Checkpoint> checkpoint, Checkpoint::open(source));
  auto weights = std::make_shared<CheckpointWeights>(std::move(checkpoint));
  K3_TRY(weights->check(package));
  return std::shared_ptr<const WeightSource>(std::move(weights));
}
