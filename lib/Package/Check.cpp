//===- Check.cpp - Everything of a package but its programs -------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Package/Check.h"
#include "lib/Package/Expr.h"
#include "lib/Package/Format.h"
#include "lib/Package/GridAbi.h"
#include "lib/Package/Manifest.h"

#include <set>
#include <string>

using namespace k3;

namespace {

template <typename T>
Status checkNames(const std::vector<std::unique_ptr<T>> &list, const char *kind) {
  std::set<std::string_view> seen;
  for (const auto &item : list) {
    if (!item || item->name.empty())
      return badInput(std::string("a ") + kind + " has no name");
    if (!seen.insert(item->name).second)
      return badInput(std::string(kind) + " '" + item->name + "' is there twice");
  }
  return Status::success();
}

Status checkVersions(const fb::PackageT &package) {
  if (package.step_abi && package.step_abi->major != stepAbiMajor)
    return unsupported("was compiled for step ABI " + std::to_string(package.step_abi->major) + "." +
                       std::to_string(package.step_abi->minor) + ", this release runs " +
                       std::to_string(stepAbiMajor) + "." + std::to_string(stepAbiMinor) +
                       "; compile the model again with this release");
  return Status::success();
}

Status checkBuffers(const fb::PackageT &package) {
  for (size_t i = 0; i < package.buffers.size(); ++i) {
    const auto &buffer = package.buffers[i];
    if (!buffer || buffer->space > fb::Space::MAX)
      return badInput("buffer " + std::to_string(i) + " has an unknown space");
    if (buffer->align == 0 || (buffer->align & (buffer->align - 1)) != 0)
      return badInput("buffer '" + buffer->name + "': alignment " + std::to_string(buffer->align) +
                      " is no power of two");
    if (!buffer->bytes && buffer->space != fb::Space::State)
      return badInput("buffer '" + buffer->name + "' has no size");
    if (buffer->space == fb::Space::Constant) {
      std::optional<int64_t> bytes = constantValue(*buffer->bytes);
      if (!bytes || static_cast<uint64_t>(*bytes) != buffer->data.size())
        return badInput("buffer '" + buffer->name + "': its " + std::to_string(buffer->data.size()) +
                        " bytes of data differ from its size " + exprText(buffer->bytes));
    }
  }
  return Status::success();
}

Status checkWeights(const fb::PackageT &package) {
  K3_TRY(checkNames(package.weights, "weight"));
  for (const auto &weight : package.weights)
    K3_TRY(checkWeight(*weight));
  ManifestTotals totals = manifestTotals(package);
  if (package.weight_count != 0 &&
      (totals.count != package.weight_count || totals.bytes != package.weight_bytes))
    return badInput("the manifest expands to " + std::to_string(totals.count) + " tensors and " +
                    std::to_string(totals.bytes) + " bytes, the package says " +
                    std::to_string(package.weight_count) + " and " + std::to_string(package.weight_bytes));
  return Status::success();
}

Status checkPacked(const fb::PackageT &package) {
  K3_TRY(checkNames(package.packed, "packed weight"));
  for (const auto &packed : package.packed) {
    Status index = checkIndex("buffer", packed->buffer, package.buffers.size());
    K3_TRY(std::move(index).withContext("packed weight '" + packed->name + "'"));
    const fb::BufferT &buffer = *package.buffers[packed->buffer];
    std::optional<int64_t> room = buffer.bytes ? constantValue(*buffer.bytes) : std::nullopt;
    // A packed layout (MX, tiles) has its own size, the stride; only a plain one follows from its shape.
    std::optional<uint64_t> bytes =
        packed->stride ? packed->stride : denseBytes(packed->dtype, packed->shape);
    uint64_t end = 0;
    bool overflow = !bytes || packed->members == 0 ||
                    __builtin_mul_overflow(*bytes, uint64_t(packed->members), &end) ||
                    __builtin_add_overflow(end, packed->offset, &end);
    if (overflow || (room && end > static_cast<uint64_t>(*room)))
      return badInput("packed weight '" + packed->name + "' does not fit buffer '" + buffer.name + "' of " +
                      exprText(buffer.bytes) + " bytes");
  }
  return Status::success();
}

Status checkStates(const fb::PackageT &package) {
  K3_TRY(checkNames(package.states, "state"));
  for (const auto &state : package.states) {
    auto bad = [&](const std::string &text) { return badInput("state '" + state->name + "': " + text); };
    if (state->kind > fb::StateKind::MAX)
      return unsupported("state '" + state->name +
                         "' has a kind that this release does not know; use a newer k3-run");
    K3_TRY(checkIndex("buffer", state->buffer, package.buffers.size())
               .withContext("state '" + state->name + "'"));
    if (package.buffers[state->buffer]->space != fb::Space::State)
      return bad("its buffer '" + package.buffers[state->buffer]->name + "' is not of the space State");
    const auto &shape = state->local_shape.empty() ? state->shape : state->local_shape;
    std::optional<uint64_t> bytes = denseBytes(state->dtype, shape);
    if (bytes && state->kind == fb::StateKind::Paged &&
        __builtin_mul_overflow(*bytes, state->page_rows, &*bytes))
      bytes = std::nullopt;
    if (!bytes || *bytes == 0 || bitWidth(state->dtype) == 0)
      return bad("its element type, shape or page rows give no size");
    if (state->slot_stride < *bytes)
      return bad("a slot needs " + std::to_string(*bytes) + " bytes, the stride is " +
                 std::to_string(state->slot_stride));
  }
  return Status::success();
}

Status checkCode(const fb::PackageT &package) {
  for (size_t i = 0; i < package.images.size(); ++i) {
    const auto &image = package.images[i];
    if (!image || image->code.type == fb::Code::NONE || image->code.type > fb::Code::MAX ||
        !image->code.value)
      return unsupported("image " + std::to_string(i) +
                         " is of a kind that this release does not know; use a newer k3-run");
    const fb::HostObjectT *object = image->code.AsHostObject();
    if (object && object->grid_abi != K3_GRID_ABI)
      return unsupported("image " + std::to_string(i) + " was compiled for grid ABI " +
                         std::to_string(object->grid_abi) + ", this release has " +
                         std::to_string(K3_GRID_ABI) + "; compile the model again");
  }
  for (const auto &kernel : package.kernels) {
    if (!kernel)
      return badInput("a kernel is empty");
    K3_TRY(checkIndex("image", kernel->image, package.images.size())
               .withContext("kernel '" + kernel->symbol + "'"));
  }
  K3_TRY(checkNames(package.targets, "target"));
  for (const auto &target : package.targets)
    for (uint32_t image : target->images)
      K3_TRY(checkIndex("image", image, package.images.size()).withContext("target '" + target->name + "'"));
  return Status::success();
}

} // namespace

Status k3::checkIndex(const char *kind, uint64_t index, size_t count) {
  if (index < count)
    return Status::success();
  return badInput(std::string(kind) + " " + std::to_string(index) + " does not exist (the package has " +
                  std::to_string(count) + ")");
}

Status k3::checkPackage(const fb::PackageT &package) {
  K3_TRY(checkVersions(package));
  K3_TRY(checkBuffers(package));
  K3_TRY(checkWeights(package));
  K3_TRY(checkPacked(package));
  K3_TRY(checkStates(package));
  K3_TRY(checkCode(package));
  for (const auto &limit : package.limits)
    if (!limit || limit->sym > fb::Sym::MAX || limit->min > limit->max)
      return badInput("a limit of the package has an unknown symbol or an empty range");
  K3_TRY(checkNames(package.programs, "program"));
  for (const auto &program : package.programs)
    K3_TRY(checkProgram(package, *program).withContext("program '" + program->name + "'"));
  return Status::success();
}
