//===- GpuPackage.h - A hand-made package of GPU code ------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph "scale" of one launch, y[T, 64] = k(x[T, 64]) in bf16 with a tensor map, pointers and scalars, in two
// buckets. Its image is no machine code; devices of tests do not look at it.
//
//===----------------------------------------------------------------------===//

#ifndef K3_TEST_UNIT_GPUPACKAGE_H
#define K3_TEST_UNIT_GPUPACKAGE_H

#include "lib/Package/Expr.h"
#include "lib/Package/Package_generated.h"

#include <memory>

namespace k3::toy {

inline std::unique_ptr<fb::DimT> dimOf(std::unique_ptr<fb::ExprT> size) {
  auto result = std::make_unique<fb::DimT>();
  result->size = std::move(size);
  return result;
}

/// bf16 [T, columns], rows 64 elements apart, in a buffer.
inline std::unique_ptr<fb::ViewT> gpuRows(uint32_t buffer, int64_t columns = 64) {
  auto view = std::make_unique<fb::ViewT>();
  view->buffer = buffer;
  view->dtype = fb::DType::BF16;
  view->dims.push_back(dimOf(symbolExpr(fb::Sym::T)));
  view->dims.push_back(dimOf(constantExpr(columns)));
  view->strides.push_back(constantExpr(64));
  view->strides.push_back(constantExpr(1));
  return view;
}

template <typename ArgT>
void addArg(fb::LaunchT &launch, ArgT arg) {
  launch.args.push_back(std::make_unique<fb::ArgBoxT>());
  launch.args.back()->arg.Set(std::move(arg));
}

/// Arguments: a map over the first 32 columns of x, y, T as i32, 2.0.
inline fb::LaunchT gpuLaunch() {
  fb::LaunchT launch;
  launch.grid = std::make_unique<fb::Dim3T>();
  fb::Term perTile(1, 8, 1, static_cast<uint8_t>(fb::Sym::T), 0, 0);
  launch.grid->x = std::make_unique<fb::ExprT>();
  launch.grid->x->terms = {perTile};
  launch.grid->y = constantExpr(2);
  launch.block = {128};
  launch.dyn_smem = 4096;
  launch.pdl = true;
  fb::TensorMapArgT map;
  map.view = gpuRows(0, 32);
  for (int i = 0; i < 2; ++i) {
    map.dims.push_back(std::make_unique<fb::MapDimT>());
    map.dims[i]->size = i ? constantExpr(32) : symbolExpr(fb::Sym::T);
    map.dims[i]->stride = constantExpr(i ? 2 : 128);
    map.dims[i]->box = i ? 32 : 8;
  }
  map.swizzle = 64;
  addArg(launch, std::move(map));
  fb::BufferArgT y;
  y.view = gpuRows(1);
  y.access = 2;
  y.role = 2;
  addArg(launch, std::move(y));
  fb::ScalarArgT rows;
  rows.dtype = fb::DType::I32;
  rows.value = symbolExpr(fb::Sym::T);
  addArg(launch, std::move(rows));
  fb::ScalarArgT factor;
  factor.dtype = fb::DType::F32;
  factor.is_const = true;
  factor.bits = 0x40000000;
  addArg(launch, std::move(factor));
  return launch;
}

inline std::unique_ptr<fb::ProgramT> gpuProgram(const char *name, uint64_t low, uint64_t high) {
  auto program = std::make_unique<fb::ProgramT>();
  program->name = name;
  program->kind = fb::Kind::Aux;
  program->bucket.push_back(std::make_unique<fb::LimitT>());
  program->bucket[0]->sym = fb::Sym::T;
  program->bucket[0]->min = low;
  program->bucket[0]->max = high;
  for (uint32_t i = 0; i < 2; ++i) {
    auto io = std::make_unique<fb::IoT>();
    io->name = i ? "y" : "x";
    io->dtype = fb::DType::BF16;
    io->dims.push_back(dimOf(symbolExpr(fb::Sym::T)));
    io->dims.push_back(dimOf(constantExpr(64)));
    io->buffer = i;
    io->output = i == 1;
    program->io.push_back(std::move(io));
  }
  auto entry = std::make_unique<fb::EntryT>();
  entry->name = "scale";
  entry->loc = 1;
  entry->op.Set(gpuLaunch());
  program->entries.push_back(std::move(entry));
  return program;
}

inline std::unique_ptr<fb::PackageT> gpuPackage() {
  auto package = std::make_unique<fb::PackageT>();
  package->model = std::make_unique<fb::ModelT>();
  for (const char *name : {"x", "y"}) {
    auto buffer = std::make_unique<fb::BufferT>();
    buffer->name = name;
    buffer->space = fb::Space::Io;
    buffer->bytes = symbolExpr(fb::Sym::T, 128);
    package->buffers.push_back(std::move(buffer));
  }
  fb::CubinT cubin;
  cubin.elf.assign(64, 0);
  cubin.isa = fb::Isa::Sm90a;
  package->images.push_back(std::make_unique<fb::ImageT>());
  package->images[0]->code.Set(std::move(cubin));
  package->kernels.push_back(std::make_unique<fb::KernelT>());
  package->kernels[0]->symbol = "scale_64";
  package->kernels[0]->regs = 64;
  package->targets.push_back(std::make_unique<fb::TargetT>());
  package->targets[0]->name = "h200";
  package->targets[0]->isa = fb::Isa::Sm90a;
  package->targets[0]->images = {0};
  for (int i = 0; i < 2; ++i)
    package->locs.push_back(std::make_unique<fb::LocT>());
  package->locs[1]->file = "scale.mlir";
  package->locs[1]->line = 4;
  package->locs[1]->col = 7;
  package->programs.push_back(gpuProgram("scale.b0", 1, 16));
  package->programs.push_back(gpuProgram("scale.b1", 17, 64));
  return package;
}

} // namespace k3::toy

#endif // K3_TEST_UNIT_GPUPACKAGE_H
