//===- Gpu.cpp - Every limit of every GPU that kernels are built for ------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Arch/Gpu.h"
#include "lib/Support/Text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <vector>

using namespace k3;
using namespace k3::arch;

static constexpr std::string_view featureNames[] = {"cp.async",
                                                    "ldmatrix",
                                                    "ldmatrix b8",
                                                    "stmatrix",
                                                    "mma f16",
                                                    "mma f8",
                                                    "mma f8f6f4",
                                                    "mma block_scale",
                                                    "wgmma",
                                                    "tcgen05",
                                                    "tcgen05 i8",
                                                    "cta_group::2",
                                                    "mbarrier",
                                                    "mbarrier tx",
                                                    "tma",
                                                    "tma gather4",
                                                    "bulk copy",
                                                    "cluster",
                                                    "multicast",
                                                    "elect.sync",
                                                    "setmaxnreg",
                                                    "griddepcontrol",
                                                    "clusterlaunchcontrol",
                                                    "cvt f8",
                                                    "cvt mx",
                                                    "cvt.rs",
                                                    "fma f32x2",
                                                    "redux f32",
                                                    "multimem"};
static_assert(std::size(featureNames) == numFeatures);

static constexpr uint64_t bits(std::initializer_list<Feature> features) {
  uint64_t mask = 0;
  for (Feature feature : features)
    mask |= uint64_t(1) << static_cast<unsigned>(feature);
  return mask;
}

// Instruction families: PTX ISA 9.0, "Target ISA Notes" of each instruction; every row from sm_90a on was
// assembled with LLVM 22 and ptxas 13.0.
static constexpr uint64_t ampere =
    bits({Feature::CpAsync, Feature::Ldmatrix, Feature::MmaF16, Feature::Mbarrier});
static constexpr uint64_t ada = ampere | bits({Feature::MmaF8, Feature::CvtF8});
static constexpr uint64_t hopperBase =
    ada |
    bits({Feature::Stmatrix, Feature::MbarrierTx, Feature::Tma, Feature::BulkCopy, Feature::Cluster,
          Feature::Multicast, Feature::ElectSync, Feature::SetMaxNReg, Feature::Pdl, Feature::Multimem});
static constexpr uint64_t hopper = hopperBase | bits({Feature::Wgmma});
static constexpr uint64_t blackwellBase =
    hopperBase |
    bits({Feature::LdmatrixB8, Feature::CvtMx, Feature::ClusterLaunchControl, Feature::FmaF32x2});
static constexpr uint64_t blackwellUltra =
    blackwellBase | bits({Feature::Tcgen05, Feature::CtaPair, Feature::TmaGather4, Feature::CvtStochastic,
                          Feature::ReduxF32});
static constexpr uint64_t blackwell = blackwellUltra | bits({Feature::Tcgen05I8});
static constexpr uint64_t blackwellRtx = blackwellBase | bits({Feature::MmaF8F6F4, Feature::MmaBlockScale});

// Sizes: CUDA programming guide, "Technical Specifications per Compute Capability". A block may opt in to 1
// KiB less than the multiprocessor has. Clusters of 16 need the non-portable attribute.
static constexpr unsigned KiB = 1024;
static constexpr GpuInfo infos[] = {
    // gpu, name, ptx, shared per SM, per block, warps, blocks, cluster, max, tensor memory, features,
    // standard
    {Gpu::Sm80, "sm_80", 70, 164 * KiB, 163 * KiB, 64, 32, 1, 1, 0, ampere, "a100"},
    {Gpu::Sm86, "sm_86", 71, 100 * KiB, 99 * KiB, 48, 16, 1, 1, 0, ampere, "a10"},
    {Gpu::Sm89, "sm_89", 78, 100 * KiB, 99 * KiB, 48, 24, 1, 1, 0, ada, "l40s"},
    {Gpu::Sm90a, "sm_90a", 80, 228 * KiB, 227 * KiB, 64, 32, 8, 16, 0, hopper, "h200"},
    {Gpu::Sm100a, "sm_100a", 86, 228 * KiB, 227 * KiB, 64, 32, 8, 16, 256 * KiB, blackwell, "b200"},
    {Gpu::Sm103a, "sm_103a", 88, 228 * KiB, 227 * KiB, 64, 32, 8, 16, 256 * KiB, blackwellUltra, "b300"},
    {Gpu::Sm120a, "sm_120a", 87, 100 * KiB, 99 * KiB, 48, 24, 8, 8, 0, blackwellRtx, "rtx5090"},
};

static constexpr Figure measured(double value) { return {value, Source::Measured}; }
static constexpr Figure vendor(double value) { return {value, Source::Vendor}; }
static constexpr Figure assumed(double value) { return {value, Source::Assumed}; }

// Copy bandwidth not measured: 0.885 of the data sheet, the ratio of the H200 (4248 of 4800). Tensor rates of
// GeForce parts are those with fp32 accumulation.
static constexpr Figure copyOf(double peak) { return assumed(0.885 * peak); }
static constexpr Product productTable[] = {
    // name, gpu, SMs, L2, peak GB/s, copy GB/s, bf16, fp8
    {"a100", Gpu::Sm80, 108, vendor(40), vendor(2039), copyOf(2039), vendor(312), vendor(0)},
    {"a100-40gb", Gpu::Sm80, 108, vendor(40), vendor(1555), copyOf(1555), vendor(312), vendor(0)},
    {"a10", Gpu::Sm86, 72, vendor(6), vendor(600), copyOf(600), vendor(125), vendor(0)},
    {"rtx3090", Gpu::Sm86, 82, vendor(6), vendor(936), copyOf(936), vendor(71), vendor(0)},
    {"l4", Gpu::Sm89, 58, vendor(48), vendor(300), copyOf(300), vendor(121), vendor(242)},
    {"l40s", Gpu::Sm89, 142, vendor(96), vendor(864), copyOf(864), vendor(362), vendor(733)},
    {"rtx4090", Gpu::Sm89, 128, vendor(72), vendor(1008), copyOf(1008), vendor(165), vendor(330)},
    {"h100", Gpu::Sm90a, 132, vendor(50), vendor(3350), copyOf(3350), vendor(989), vendor(1979)},
    {"h100-pcie", Gpu::Sm90a, 114, vendor(50), vendor(2000), copyOf(2000), vendor(756), vendor(1513)},
    {"h20", Gpu::Sm90a, 78, vendor(60), vendor(4000), copyOf(4000), vendor(148), vendor(296)},
    {"h200", Gpu::Sm90a, 132, measured(60), vendor(4800), measured(4248), measured(803), measured(1482)},
    {"b200", Gpu::Sm100a, 148, vendor(126), vendor(8000), copyOf(8000), vendor(2250), vendor(4500)},
    {"b300", Gpu::Sm103a, 148, assumed(126), vendor(8000), copyOf(8000), assumed(2250), assumed(4500)},
    {"rtx5090", Gpu::Sm120a, 170, vendor(96), vendor(1792), copyOf(1792), vendor(209), vendor(419)},
    {"rtxpro6000", Gpu::Sm120a, 188, vendor(128), vendor(1792), copyOf(1792), assumed(252), assumed(504)},
};

static constexpr auto names = [] {
  std::array<std::string_view, std::size(infos) + std::size(productTable)> all{};
  size_t next = 0;
  for (const GpuInfo &info : infos)
    all[next++] = info.name;
  for (const Product &product : productTable)
    all[next++] = product.name;
  return all;
}();

std::string_view arch::featureName(Feature feature) { return featureNames[static_cast<unsigned>(feature)]; }

std::span<const GpuInfo> arch::gpus() { return infos; }

const GpuInfo &arch::gpuInfo(Gpu gpu) { return infos[static_cast<size_t>(gpu)]; }

std::string arch::gpusWith(Feature feature) {
  std::vector<std::string_view> with;
  for (const GpuInfo &info : infos)
    if (info.has(feature))
      with.push_back(info.name);
  return join(with, ", ");
}

std::string_view arch::sourceName(Source source) {
  constexpr std::string_view text[] = {"measured", "vendor", "assumed"};
  return text[static_cast<size_t>(source)];
}

std::span<const Product> arch::products() { return productTable; }

std::span<const std::string_view> arch::gpuNames() { return names; }

/// Without the blanks, dashes and capitals that people write into product names; architectures keep their
/// '_'.
static std::string plainName(std::string_view name) {
  std::string plain;
  for (char c : name)
    if (c != '-' && c != ' ')
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

static const Product *findProduct(std::string_view name) {
  for (const Product &product : productTable)
    if (plainName(product.name) == plainName(name))
      return &product;
  return nullptr;
}

Expected<GpuTarget> arch::findGpu(std::string_view name) {
  for (const GpuInfo &info : infos)
    if (info.name == name)
      return GpuTarget{&info, findProduct(info.standard)};
  if (const Product *product = findProduct(name))
    return GpuTarget{&gpuInfo(product->gpu), product};
  // "sm_90" is what people write for "sm_90a": the suffix opens instructions that we use.
  std::string suffixed = std::string(name) + "a";
  for (const GpuInfo &info : infos)
    if (info.name == suffixed)
      return badUsage("target '" + std::string(name) + "': kernels for it use instructions of '" + suffixed +
                      "' only; name that");
  std::string hint = didYouMean(plainName(name), names);
  return badUsage("unknown GPU '" + std::string(name) + "'" + hint + "; known are " + join(names, ", "));
}

unsigned arch::residentBlocks(const GpuInfo &info, unsigned threads, unsigned registers,
                              unsigned sharedBytes) {
  if (threads == 0 || threads > maxThreadsPerBlock || registers > maxRegistersPerThread ||
      sharedBytes > info.sharedPerBlock)
    return 0;
  unsigned warps = (threads + warpSize - 1) / warpSize;
  // Registers are handed out per warp in units of 256 (8 per thread), warps to four schedulers of equal
  // share.
  constexpr unsigned unit = 256, schedulers = 4;
  unsigned perWarp = (std::max(registers, 1u) * warpSize + unit - 1) / unit * unit;
  unsigned warpsByRegisters = registersPerSm / schedulers / perWarp * schedulers;
  unsigned byShared = info.sharedPerSm / (sharedBytes + sharedReservedPerBlock);
  return std::min({info.blocksPerSm, info.warpsPerSm / warps, warpsByRegisters / warps, byShared});
}
