//===- GpuArchTest.cpp - The table of GPUs --------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Arch/Gpu.h"

#include <gtest/gtest.h>

using namespace k3;
using namespace k3::arch;

TEST(GpuArch, EveryRowIsFoundByItsName) {
  for (const GpuInfo &info : gpus()) {
    Expected<GpuTarget> target = findGpu(info.name);
    ASSERT_TRUE(target.ok()) << target.status().text();
    EXPECT_EQ(target->info, &gpuInfo(info.gpu));
    EXPECT_EQ(target->info->name, info.name);
    ASSERT_NE(target->product, nullptr) << info.name;
    EXPECT_EQ(target->product->name, info.standard);
    EXPECT_EQ(target->product->gpu, info.gpu);
  }
  for (const Product &product : products()) {
    Expected<GpuTarget> target = findGpu(product.name);
    ASSERT_TRUE(target.ok());
    EXPECT_EQ(target->product, &product);
    EXPECT_EQ(target->info->gpu, product.gpu);
  }
  EXPECT_EQ(gpuNames().size(), gpus().size() + products().size());
}

TEST(GpuArch, NamesAsPeopleWriteThem) {
  EXPECT_EQ(findGpu("H200")->product->name, "h200");
  EXPECT_EQ(findGpu("RTX 5090")->info->name, "sm_120a");
  EXPECT_EQ(findGpu("rtx-4090")->info->name, "sm_89");
}

TEST(GpuArch, UnknownNamesSayWhatIsNear) {
  EXPECT_NE(findGpu("h20O").status().text().find("did you mean 'h20"), std::string::npos)
      << findGpu("h20O").status().text();
  EXPECT_EQ(findGpu("sm_90").status().text(),
            "target 'sm_90': kernels for it use instructions of 'sm_90a' only; name that");
  EXPECT_EQ(findGpu("sm_90").status().code(), Code::BadUsage);
}

TEST(GpuArch, FamiliesAreWhereTheyAssemble) {
  EXPECT_EQ(gpusWith(Feature::Wgmma), "sm_90a");
  EXPECT_EQ(gpusWith(Feature::Tcgen05), "sm_100a, sm_103a");
  EXPECT_EQ(gpusWith(Feature::Tcgen05I8), "sm_100a");
  EXPECT_EQ(gpusWith(Feature::MmaBlockScale), "sm_120a");
  EXPECT_EQ(gpusWith(Feature::CvtMx), "sm_100a, sm_103a, sm_120a");
  EXPECT_EQ(gpusWith(Feature::MmaF8), "sm_89, sm_90a, sm_100a, sm_103a, sm_120a");
  EXPECT_EQ(gpusWith(Feature::Tma), "sm_90a, sm_100a, sm_103a, sm_120a");
  for (const GpuInfo &info : gpus()) {
    EXPECT_TRUE(info.has(Feature::CpAsync) && info.has(Feature::MmaF16)) << info.name;
    EXPECT_EQ(info.has(Feature::Cluster), info.clusterMax > 1) << info.name;
    EXPECT_EQ(info.has(Feature::Tcgen05), info.tensorMemory > 0) << info.name;
    EXPECT_EQ(info.sharedPerSm, info.sharedPerBlock + sharedReservedPerBlock) << info.name;
    EXPECT_LE(info.ptxIsa, 90u) << "the newest PTX ISA of LLVM 22";
  }
}

TEST(GpuArch, MeasuredFiguresAreMarked) {
  const Product &h200 = *findGpu("h200")->product;
  EXPECT_EQ(h200.sms, 132u);
  EXPECT_EQ(h200.copyGBs.source, Source::Measured);
  EXPECT_EQ(sourceName(h200.peakGBs.source), "vendor");
  for (const Product &product : products()) {
    EXPECT_LT(product.copyGBs.value, product.peakGBs.value) << product.name;
    if (product.name != "h200") {
      EXPECT_NE(product.copyGBs.source, Source::Measured) << product.name;
    }
    EXPECT_EQ(product.fp8Tflops.value > 0, gpuInfo(product.gpu).has(Feature::MmaF8)) << product.name;
  }
}

TEST(GpuArch, ResidentBlocks) {
  const GpuInfo &hopper = gpuInfo(Gpu::Sm90a);
  EXPECT_EQ(hopper.sharedPerBlock, 232448u);
  EXPECT_EQ(residentBlocks(hopper, 384, 168, 229440), 1u); // the GEMM: 64,512 of 65,536 registers
  EXPECT_EQ(residentBlocks(hopper, 256, 64, 0), 4u);
  EXPECT_EQ(residentBlocks(hopper, 128, 32, 94 * 1024), 2u);
  EXPECT_EQ(residentBlocks(hopper, 32, 32, 0), 32u);
  EXPECT_EQ(residentBlocks(hopper, 384, 200, 0), 0u) << "76,800 registers";
  EXPECT_EQ(residentBlocks(gpuInfo(Gpu::Sm120a), 384, 168, 229440), 0u);
}
