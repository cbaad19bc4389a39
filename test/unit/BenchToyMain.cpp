//===- BenchToyMain.cpp - A package of PTX for k3-bench -------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// k3-bench-toy OUT.k3x: y [T, 136] = x [T, 72] w^T in PTX that any compiler of a driver takes, three times: `right`, `short`
// (leaves the last column of every row out) and `wrong` (forgets the last product of every sum). k3-bench has to tell them apart.
//
//===----------------------------------------------------------------------===//

#include "lib/Package/Package.h"
#include "test/unit/GpuPackage.h"

#include <cstdio>
#include <string>

using namespace k3;

namespace {

constexpr int64_t n = 136, k = 72;

/// One thread an element. `columns` and `depth` are n and k where nothing is wrong.
std::string kernelText(const std::string &name, int64_t columns, int64_t depth) {
  return ".visible .entry " + name + R"((.param .u64 px, .param .u64 pw, .param .u64 py, .param .u32 pt) {
  .reg .pred %p; .reg .b16 %h<2>; .reg .b32 %r<9>; .reg .b64 %d<6>; .reg .f32 %f<4>;
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2;
  div.u32 %r4, %r3, 136; rem.u32 %r5, %r3, 136;
  ld.param.u32 %r6, [pt];
  setp.ge.u32 %p, %r4, %r6; @%p ret;
  setp.ge.u32 %p, %r5, )" + std::to_string(columns) + R"(; @%p ret;
  ld.param.u64 %d0, [px]; ld.param.u64 %d1, [pw]; ld.param.u64 %d2, [py];
  cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d2, %d2;
  mul.wide.u32 %d3, %r4, 144; add.u64 %d0, %d0, %d3;
  mul.wide.u32 %d3, %r5, 144; add.u64 %d1, %d1, %d3;
  mul.wide.u32 %d3, %r3, 2; add.u64 %d2, %d2, %d3;
  mov.f32 %f0, 0f00000000; mov.u32 %r7, 0;
LOOP_)" + name + R"(:
  ld.global.u16 %h0, [%d0]; ld.global.u16 %h1, [%d1];
  cvt.u32.u16 %r8, %h0; shl.b32 %r8, %r8, 16; mov.b32 %f1, %r8;
  cvt.u32.u16 %r8, %h1; shl.b32 %r8, %r8, 16; mov.b32 %f2, %r8;
  fma.rn.f32 %f0, %f1, %f2, %f0;
  add.u64 %d0, %d0, 2; add.u64 %d1, %d1, 2; add.u32 %r7, %r7, 1;
  setp.lt.u32 %p, %r7, )" + std::to_string(depth) + "; @%p bra LOOP_" + name + R"(;
  cvt.rn.bf16.f32 %h0, %f0; st.global.b16 [%d2], %h0;
  ret;
}
)";
}

std::unique_ptr<fb::ViewT> matrix(uint32_t buffer, std::unique_ptr<fb::ExprT> rows, int64_t columns) {
  auto view = std::make_unique<fb::ViewT>();
  view->buffer = buffer;
  view->dtype = fb::DType::BF16;
  view->dims.push_back(toy::dimOf(std::move(rows)));
  view->dims.push_back(toy::dimOf(constantExpr(columns)));
  view->strides.push_back(constantExpr(columns));
  view->strides.push_back(constantExpr(1));
  return view;
}

void addBuffer(fb::PackageT &package, const char *name, fb::Space space, std::unique_ptr<fb::ExprT> bytes) {
  auto buffer = std::make_unique<fb::BufferT>();
  buffer->name = name;
  buffer->space = space;
  buffer->bytes = std::move(bytes);
  package.buffers.push_back(std::move(buffer));
}

void addFunction(fb::PackageT &package, const std::string &name) {
  auto program = std::make_unique<fb::ProgramT>();
  program->name = name;
  program->kind = fb::Kind::Aux;
  program->bucket.push_back(std::make_unique<fb::LimitT>());
  program->bucket[0]->sym = fb::Sym::T;
  program->bucket[0]->min = 1;
  program->bucket[0]->max = 4096;
  for (uint32_t buffer : {0u, 2u}) {
    auto io = std::make_unique<fb::IoT>();
    io->name = package.buffers[buffer]->name;
    io->dtype = fb::DType::BF16;
    io->dims.push_back(toy::dimOf(symbolExpr(fb::Sym::T)));
    io->dims.push_back(toy::dimOf(constantExpr(buffer ? n : k)));
    io->buffer = buffer;
    io->output = buffer == 2;
    program->io.push_back(std::move(io));
  }
  fb::LaunchT launch;
  launch.kernel = static_cast<uint32_t>(package.kernels.size());
  launch.grid = std::make_unique<fb::Dim3T>();
  launch.grid->x = std::make_unique<fb::ExprT>();
  launch.grid->x->terms = {fb::Term(n, 128, /*round up*/ 1, static_cast<uint8_t>(fb::Sym::T), 0, 0)};
  launch.block = {128};
  for (uint32_t buffer = 0; buffer < 3; ++buffer) {
    fb::BufferArgT arg;
    arg.view = buffer == 1 ? matrix(1, constantExpr(n), k) : matrix(buffer, symbolExpr(fb::Sym::T), buffer ? n : k);
    arg.access = buffer == 2 ? 2 : 1;
    toy::addArg(launch, std::move(arg));
  }
  fb::ScalarArgT rows;
  rows.dtype = fb::DType::I32;
  rows.value = symbolExpr(fb::Sym::T);
  toy::addArg(launch, std::move(rows));
  auto entry = std::make_unique<fb::EntryT>();
  entry->name = name;
  entry->op.Set(std::move(launch));
  program->entries.push_back(std::move(entry));
  package.programs.push_back(std::move(program));

  package.kernels.push_back(std::make_unique<fb::KernelT>());
  package.kernels.back()->symbol = "toy_" + name;
  auto meta = std::make_unique<fb::KeyValueT>();
  meta->key = "kernel.toy_" + name;
  meta->value = R"({"family": "gemm", "n": 136, "k": 72, "epilogue": "none", "schedule": ")" + name + "\"}";
  package.meta.push_back(std::move(meta));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fputs("usage: k3-bench-toy OUT.k3x\n", stderr);
    return 2;
  }
  fb::PackageT package;
  package.model = std::make_unique<fb::ModelT>();
  addBuffer(package, "x", fb::Space::Io, symbolExpr(fb::Sym::T, 2 * k));
  addBuffer(package, "w", fb::Space::Weights, constantExpr(2 * n * k));
  addBuffer(package, "y", fb::Space::Io, symbolExpr(fb::Sym::T, 2 * n));
  fb::PtxT ptx;
  ptx.isa = fb::Isa::Sm80;
  ptx.version = 78;
  ptx.text = ".version 7.8\n.target sm_80\n.address_size 64\n" + kernelText("toy_right", n, k) + kernelText("toy_short", n - 1, k) +
             kernelText("toy_wrong", n, k - 1);
  package.images.push_back(std::make_unique<fb::ImageT>());
  package.images[0]->code.Set(std::move(ptx));
  package.targets.push_back(std::make_unique<fb::TargetT>());
  package.targets[0]->name = "sm_80";
  package.targets[0]->isa = fb::Isa::Sm80;
  package.targets[0]->images = {0};
  for (const char *name : {"right", "short", "wrong"})
    addFunction(package, name);
  Status status = writePackage(package, argv[1]);
  if (!status.ok())
    std::fprintf(stderr, "k3-bench-toy: error: %s\n", status.text().c_str());
  return status.ok() ? 0 : 1;
}
