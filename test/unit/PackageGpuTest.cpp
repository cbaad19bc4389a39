//===- PackageGpuTest.cpp - Launches of GPU code in a package ----- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Package/Check.h"
#include "lib/Package/GpuIsa.h"
#include "lib/Package/Package.h"
#include "test/unit/GpuPackage.h"

#include <gtest/gtest.h>

using namespace k3;

namespace {

TEST(PackageGpu, RoundTrip) {
  auto bytes = serializePackage(*toy::gpuPackage());
  ASSERT_TRUE(bytes.ok()) << bytes.status().text();
  auto back = readPackage(*bytes, "m.k3x");
  ASSERT_TRUE(back.ok()) << back.status().text();
  const fb::LaunchT &launch = *(*back)->programs[1]->entries[0]->op.AsLaunch();
  EXPECT_EQ(launch.args[0]->arg.AsTensorMapArg()->dims[0]->box, 8u);
  EXPECT_EQ((*back)->images[0]->code.AsCubin()->isa, fb::Isa::Sm90a);
}

TEST(PackageGpu, InstructionSets) {
  EXPECT_EQ(isaText(fb::Isa::Sm90a), "sm_90a");
  EXPECT_EQ(isaText(fb::Isa::Sm100f), "sm_100f");
  EXPECT_EQ(isaText(fb::Isa::Sm89), "sm_89");
  EXPECT_EQ(isaText(fb::Isa::X86_64_v3), "X86_64_v3");
  EXPECT_EQ(isaNumber(fb::Isa::X86_64_v4), 0);
  for (const arch::GpuInfo &info : arch::gpus()) {
    EXPECT_EQ(isaText(isaOf(info.gpu)), info.name);
    EXPECT_EQ(isaLimits(isaOf(info.gpu)), &info);
  }
}

struct Damage {
  const char *name;
  void (*apply)(fb::PackageT &package, fb::LaunchT &launch);
  const char *message;
};

fb::TensorMapArgT &mapOf(fb::LaunchT &launch) { return *launch.args[0]->arg.AsTensorMapArg(); }

const Damage damages[] = {
    {"Block", [](fb::PackageT &, fb::LaunchT &l) { l.block = {64, 32}; },
     "kernel 'scale_64': has a block of 2048 threads, expected 1 to 1024"},
    {"NoBlock", [](fb::PackageT &, fb::LaunchT &l) { l.block.clear(); }, "has a block of 0 dimensions"},
    {"Shared", [](fb::PackageT &, fb::LaunchT &l) { l.dyn_smem = 232449; },
     "needs 232449 bytes of shared memory, a block of sm_90a has at most 232448"},
    {"StaticShared", [](fb::PackageT &p, fb::LaunchT &) { p.kernels[0]->static_smem = 229000; },
     "needs 233096 bytes of shared memory"},
    {"Registers",
     [](fb::PackageT &p, fb::LaunchT &l) {
       p.kernels[0]->regs = 255;
       l.block = {1024};
     },
     "does not fit a multiprocessor of sm_90a: 1024 threads of 255 registers"},
    {"Cluster", [](fb::PackageT &, fb::LaunchT &l) { l.cluster = {1, 3, 1}; },
     "has a grid of 2 blocks in dimension 1, which is not whole clusters of 3"},
    {"GridOfAnEnd", [](fb::PackageT &, fb::LaunchT &l) { l.cluster = {2, 1, 1}; },
     "has a grid of 1 blocks in dimension 0, which is not whole clusters of 2"},
    {"LargeCluster", [](fb::PackageT &, fb::LaunchT &l) { l.cluster = {32, 1, 1}; },
     "has clusters of 32 blocks, sm_90a has 1 to 16"},
    {"NoClusters",
     [](fb::PackageT &p, fb::LaunchT &l) {
       p.targets[0]->isa = fb::Isa::Sm80;
       l.pdl = false;
       l.cluster = {2, 1, 1};
     },
     "has clusters of 2 blocks, sm_80 has 1 to 1"},
    {"NoPdl", [](fb::PackageT &p, fb::LaunchT &) { p.targets[0]->isa = fb::Isa::Sm80; },
     "starts before the launch ahead has ended (pdl), which sm_80 cannot"},
    {"NoTma",
     [](fb::PackageT &p, fb::LaunchT &l) {
       p.targets[0]->isa = fb::Isa::Sm80;
       l.pdl = false;
     },
     "argument 0: is a tensor map, which sm_80 does not have"},
    {"HostTarget", [](fb::PackageT &p, fb::LaunchT &) { p.targets[0]->isa = fb::Isa::X86_64_v3; },
     "kernel 'scale_64' is GPU code, target 'h200' is the host"},
    {"HostCode",
     [](fb::PackageT &p, fb::LaunchT &) {
       fb::HostObjectT object;
       object.grid_abi = 1;
       p.images[0]->code.Set(std::move(object));
     },
     "kernel 'scale_64' is a function of the host, target 'h200' is a GPU"},
    {"ForeignImage", [](fb::PackageT &p, fb::LaunchT &) { p.targets[0]->images.clear(); },
     "is in image 0, which is not of target 'h200'"},
    {"Box", [](fb::PackageT &, fb::LaunchT &l) { mapOf(l).dims[0]->box = 257; }, "has a box of 257, expected 1 to 256"},
    {"BoxRow", [](fb::PackageT &, fb::LaunchT &l) { mapOf(l).dims[1]->box = 64; },
     "is a tensor map whose box has rows of 128 bytes, expected a multiple of 16, at most the swizzle"},
    {"Swizzle", [](fb::PackageT &, fb::LaunchT &l) { mapOf(l).swizzle = 48; }, "swizzles 48 bytes"},
    {"MapRank", [](fb::PackageT &, fb::LaunchT &l) { mapOf(l).dims.pop_back(); },
     "is a tensor map of 1 dimensions over a view of 2"},
    {"MapExtent", [](fb::PackageT &, fb::LaunchT &l) { mapOf(l).dims[0]->size = constantExpr(1000); },
     "dimension 0 of the tensor map is 1000 every 128 bytes, the view has 1 every 128"},
    {"MapStride", [](fb::PackageT &, fb::LaunchT &l) { mapOf(l).dims[0]->stride = constantExpr(256); },
     "dimension 0 of the tensor map is 1 every 256 bytes, the view has 1 every 128"},
    {"MapView", [](fb::PackageT &, fb::LaunchT &l) { mapOf(l).view->offset = constantExpr(128); },
     "argument 0: view: ends at byte"},
    {"Scalar", [](fb::PackageT &, fb::LaunchT &l) { l.args[3]->arg.AsScalarArg()->dtype = fb::DType::BF16; },
     "argument 3 is a scalar of type BF16, expected I32, I64 or F32"},
    {"MaxCtas",
     [](fb::PackageT &, fb::LaunchT &l) {
       l.max_ctas = symbolExpr(fb::Sym::SM);
       l.cluster = {1, 2, 1};
     },
     "has max_ctas, hence a one-dimensional grid, and clusters of several dimensions"},
};

class PackageGpuDamage : public testing::TestWithParam<Damage> {};

TEST_P(PackageGpuDamage, IsRefused) {
  auto package = toy::gpuPackage();
  package->programs.resize(1);
  GetParam().apply(*package, *package->programs[0]->entries[0]->op.AsLaunch());
  std::string text = checkPackage(*package).text();
  EXPECT_NE(text.find(GetParam().message), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Each, PackageGpuDamage, testing::ValuesIn(damages),
                         [](const testing::TestParamInfo<Damage> &info) { return std::string(info.param.name); });

} // namespace
