//===- ModelDescription.cpp - Model, weights and state of a package -------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Ops.h"
#include "dialects/K3/K3Utils.h"
#include "lib/Package/Format.h"
#include "lib/Package/Manifest.h"
#include "lib/Pipeline/PackageBuilder.h"
#include "lib/Support/Hash.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace k3 {

namespace {

std::unique_ptr<fb::ExprT> constant(int64_t value) {
  auto expr = std::make_unique<fb::ExprT>();
  expr->terms.emplace_back(value, 1, 0, 0, 0, 0);
  return expr;
}

fb::DType dtypeOf(Type element) {
  if (element.isF32())
    return fb::DType::F32;
  if (element.isBF16())
    return fb::DType::BF16;
  if (element.isF16())
    return fb::DType::F16;
  return fb::DType::I8;
}

std::vector<uint64_t> unsignedShape(ArrayRef<int64_t> shape) { return {shape.begin(), shape.end()}; }

int64_t bytesOf(Type type) {
  if (auto mx = dyn_cast<MxType>(type))
    return mx.getElementBytes() + mx.getScaleBytes();
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * tensor.getElementTypeBitWidth() / 8;
}

class Description {
public:
  explicit Description(ModuleOp module) : module(module) {}

  Expected<fb::PackageT> run() {
    header();
    for (WeightOp weight : module.getOps<WeightOp>())
      K3_TRY(add(weight));
    addPacked();
    for (StateOp state : module.getOps<StateOp>())
      add(state);
    ManifestTotals totals = manifestTotals(package);
    package.weight_count = totals.count;
    package.weight_bytes = totals.bytes;
    return std::move(package);
  }

private:
  static int64_t integer(DictionaryAttr from, StringRef name, int64_t otherwise) {
    auto attr = from ? from.getAs<IntegerAttr>(name) : IntegerAttr();
    return attr ? attr.getInt() : otherwise;
  }
  static std::string text(DictionaryAttr from, StringRef name, StringRef otherwise) {
    auto attr = from ? from.getAs<StringAttr>(name) : StringAttr();
    return attr ? attr.str() : otherwise.str();
  }

  void header() {
    package.abi = std::make_unique<fb::VersionT>();
    package.abi->major = packageMajor;
    package.abi->minor = packageMinor;
    package.step_abi = std::make_unique<fb::VersionT>();
    package.step_abi->major = stepAbiMajor;
    auto precision = module->getAttrOfType<StringAttr>(K3Dialect::kPrecisionAttr);
    package.precision = precision ? precision.str() : "f32";

    auto model = module->getAttrOfType<DictionaryAttr>(K3Dialect::kModelAttr);
    package.model = std::make_unique<fb::ModelT>();
    package.model->arch = text(model, "arch", "graph");
    package.model->vocab = integer(model, "vocab", 0);
    package.model->layers = integer(model, "layers", 0);
    package.model->bos = integer(model, "bos", -1);
    package.model->pad = integer(model, "pad", -1);
    if (int64_t eos = integer(model, "eos", -1); eos >= 0)
      package.model->eos.push_back(eos);
    package.model->tokenizer = text(model, "tokenizer", "none");
    package.model->config_hash = integer(model, "config_hash", 0);
    if (auto dims = model ? model.getAs<DictionaryAttr>("dims") : DictionaryAttr())
      for (NamedAttribute dim : dims) {
        auto pair = std::make_unique<fb::KeyValueT>();
        pair->key = dim.getName().str();
        if (auto number = dyn_cast<IntegerAttr>(dim.getValue()))
          pair->value = std::to_string(number.getInt());
        package.model->dims.push_back(std::move(pair));
      }

    auto limits = module->getAttrOfType<DictionaryAttr>(K3Dialect::kLimitsAttr);
    int64_t tokens = integer(limits, "max_tokens", 0), sequences = integer(limits, "max_seqs", 0);
    auto all = limits ? limits.getAs<BoolAttr>("all_logits") : BoolAttr();
    limit(fb::Sym::T, tokens);
    limit(fb::Sym::S, sequences);
    limit(fb::Sym::R, all && all.getValue() ? tokens : sequences);
    limit(fb::Sym::C, sequences);
    package.max_context = integer(limits, "max_context", 0);

    MeshAttr mesh = getMesh(module);
    package.mesh = std::make_unique<fb::MeshT>();
    package.mesh->world = mesh.getWorld();
    package.mesh->rank = -1;
    auto axis = [&](const char *name, int64_t size, int64_t stride) {
      auto entry = std::make_unique<fb::AxisT>();
      entry->name = name;
      entry->size = size;
      entry->stride = stride;
      package.mesh->axes.push_back(std::move(entry));
    };
    axis("pp", mesh.getPp(), mesh.getDp() * mesh.getTp());
    axis("dp", mesh.getDp(), mesh.getTp());
    axis("tp", mesh.getTp(), 1);
    axis("ep", mesh.getEp(), 1);
    axis("cp", mesh.getCp(), 1);

    if (auto skipped = module->getAttrOfType<ArrayAttr>("k3.skipped"))
      for (auto rule : skipped.getAsRange<DictionaryAttr>()) {
        auto entry = std::make_unique<fb::SkipRuleT>();
        entry->pattern = text(rule, "pattern", "");
        entry->reason = text(rule, "reason", "");
        entry->count = integer(rule, "count", 0);
        entry->bytes = integer(rule, "bytes", 0);
        package.skipped.push_back(std::move(entry));
      }
  }

  void limit(fb::Sym sym, int64_t max) {
    auto entry = std::make_unique<fb::LimitT>();
    entry->sym = sym;
    entry->max = max;
    package.limits.push_back(std::move(entry));
  }

  uint32_t buffer(const std::string &name, fb::Space space, int64_t bytes) {
    auto entry = std::make_unique<fb::BufferT>();
    entry->name = name;
    entry->space = space;
    entry->bytes = constant(bytes);
    package.buffers.push_back(std::move(entry));
    return package.buffers.size() - 1;
  }

  Status add(WeightOp weight) {
    auto entry = std::make_unique<fb::WeightT>();
    entry->name = weight.getSymName().str();
    entry->pattern = weight.getPattern().str();
    if (weight.getMembers()) {
      auto index = std::make_unique<fb::IndexT>();
      index->var = "e";
      index->count = *weight.getMembers();
      entry->index.push_back(std::move(index));
    }
    auto part = [&](const char *suffix, fb::DType dtype, std::vector<uint64_t> shape) {
      auto p = std::make_unique<fb::PartT>();
      p->suffix = suffix;
      p->dtype = dtype;
      p->shape = std::move(shape);
      entry->parts.push_back(std::move(p));
    };
    if (auto mx = dyn_cast<MxType>(weight.getType())) {
      uint64_t rows = mx.getShape()[0];
      entry->logical = fb::DType::E2M1x2;
      entry->shape = unsignedShape(mx.getShape());
      entry->forbid_bytes = {255};
      part(".weight_packed", fb::DType::U8, {rows, mx.getElementBytes() / rows});
      part(".weight_scale", fb::DType::U8, {rows, mx.getScaleBytes() / rows});
    } else {
      auto tensor = cast<RankedTensorType>(weight.getType());
      entry->logical = dtypeOf(tensor.getElementType());
      entry->shape = unsignedShape(tensor.getShape());
      entry->used = weight.getUsed().value_or(0);
      part("", entry->logical, entry->shape);
    }
    entry->init = weight.getInit().value_or("normal(0, 0.02)").str();
    K3_TRY(checkWeight(*entry));
    package.weights.push_back(std::move(entry));
    return Status::success();
  }

  /// Packed weights one after another in one buffer, each 64-byte aligned; members of a family are dense.
  void addPacked() {
    int64_t offset = 0;
    uint32_t number = buffer("weights", fb::Space::Weights, 0);
    for (PackedOp packed : module.getOps<PackedOp>()) {
      auto entry = std::make_unique<fb::PackedT>();
      entry->name = packed.getSymName().str();
      entry->buffer = number;
      entry->offset = offset;
      entry->stride = bytesOf(packed.getType());
      entry->members = packed.getMembers().value_or(1);
      entry->shape = unsignedShape(getLogicalShape(packed.getType()));
      bool mx = isa<MxType>(packed.getType());
      entry->dtype = mx ? fb::DType::E2M1x2 : dtypeOf(cast<RankedTensorType>(packed.getType()).getElementType());
      entry->layout = mx ? "rows of elements, then rows of scales" : "row-major";
      offset += llvm::alignTo(entry->stride * entry->members, 64);
      package.packed.push_back(std::move(entry));
    }
    package.buffers[number]->bytes = constant(offset);
  }

  void add(StateOp state) {
    auto type = cast<RankedTensorType>(state.getType());
    auto entry = std::make_unique<fb::StateT>();
    entry->name = state.getSymName().str();
    entry->kind = fb::StateKind(int(state.getKind()));
    StringRef name = state.getSymName();
    unsigned layer = 0;
    if (name.consume_front("layers."))
      name.consumeInteger(10, layer);
    entry->layer = layer;
    entry->dtype = dtypeOf(type.getElementType());
    entry->shape = entry->local_shape = unsignedShape(type.getShape());
    entry->page_rows = state.getPage().value_or(0);
    entry->slot_stride = bytesOf(type) * (entry->page_rows ? entry->page_rows : 1);
    entry->buffer = buffer(entry->name, fb::Space::State, 0);
    if (entry->page_rows)
      package.page_rows = entry->page_rows;
    package.states.push_back(std::move(entry));
  }

  ModuleOp module;
  fb::PackageT package;
};

} // namespace

Expected<fb::PackageT> describeModel(ModuleOp module) { return Description(module).run(); }

} // namespace k3
