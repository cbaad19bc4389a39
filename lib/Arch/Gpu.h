//===- Gpu.h - Every limit of every GPU that kernels are built for -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of architectures (what an instruction set and a multiprocessor offer) and one of products (how
// many multiprocessors, how much cache, how fast the memory). Passes, verifiers, schedules, the planner and
// the documentation ask here and nowhere else.
//
//===----------------------------------------------------------------------===//

#ifndef K3_ARCH_GPU_H
#define K3_ARCH_GPU_H

#include "lib/Support/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace k3::arch {

/// An instruction family or a form of one that some architectures lack. Everything else is in all of them.
enum class Feature : uint8_t {
  CpAsync,              ///< cp.async of 16 bytes per thread, with commit groups.
  Ldmatrix,             ///< ldmatrix of 8x8 b16, and movmatrix.
  LdmatrixB8,           ///< ldmatrix / stmatrix of b8 and the forms that unpack b6 and b4.
  Stmatrix,             ///< stmatrix of 8x8 b16.
  MmaF16,               ///< mma.sync m16n8k8 / k16 f16, bf16, tf32; m16n8k32 s8.
  MmaF8,                ///< mma.sync m16n8k32 e4m3 / e5m2.
  MmaF8F6F4,            ///< mma.sync kind::f8f6f4 (e2m1, e2m3, e3m2 operands).
  MmaBlockScale,        ///< mma.sync block_scale mxf4, mxf4nvf4, mxf8f6f4.
  Wgmma,                ///< wgmma with operands in shared memory or A in registers.
  Tcgen05,              ///< tcgen05 and tensor memory, with block scales.
  Tcgen05I8,            ///< tcgen05.mma kind::i8.
  CtaPair,              ///< cta_group::2 of TMA and tcgen05.
  Mbarrier,             ///< mbarrier init, arrive, test_wait.
  MbarrierTx,           ///< expect_tx / complete_tx, try_wait, arrival on a peer.
  Tma,                  ///< cp.async.bulk.tensor load, store, reduce, prefetch, cache policy.
  TmaGather4,           ///< The gather4 / scatter4 modes.
  BulkCopy,             ///< cp.async.bulk of plain bytes.
  Cluster,              ///< CTA clusters, mapa, cluster barriers.
  Multicast,            ///< TMA to several CTAs of a cluster.
  ElectSync,            ///< elect.sync.
  SetMaxNReg,           ///< setmaxnreg.
  Pdl,                  ///< griddepcontrol.
  ClusterLaunchControl, ///< clusterlaunchcontrol.
  CvtF8,                ///< cvt between f32 / f16 pairs and e4m3, e5m2.
  CvtMx,                ///< cvt of e2m1, e2m3, e3m2 and ue8m0.
  CvtStochastic,        ///< cvt.rs.
  FmaF32x2,             ///< Packed fp32 arithmetic on pairs.
  ReduxF32,             ///< redux.sync of f32.
  Multimem,             ///< multimem loads and reductions.
};
inline constexpr unsigned numFeatures = static_cast<unsigned>(Feature::Multimem) + 1;

/// "wgmma", "tma", ...: for messages and documentation.
std::string_view featureName(Feature feature);

enum class Gpu : uint8_t { Sm80, Sm86, Sm89, Sm90a, Sm100a, Sm103a, Sm120a };

// The same on every architecture of the table.
inline constexpr unsigned warpSize = 32;
inline constexpr unsigned sharedBanks = 32, bankBytes = 4;
inline constexpr unsigned registersPerSm = 65536, maxRegistersPerThread = 255;
inline constexpr unsigned maxThreadsPerBlock = 1024, warpgroupWarps = 4, namedBarriers = 16;
/// Shared memory that the driver keeps for itself in every resident block.
inline constexpr unsigned sharedReservedPerBlock = 1024;

struct GpuInfo {
  Gpu gpu;
  std::string_view name;     ///< As compilers and the package spell it: "sm_90a".
  unsigned ptxIsa;           ///< The PTX ISA that introduced the target, times ten: 80 is 8.0.
  unsigned sharedPerSm;      ///< Bytes.
  unsigned sharedPerBlock;   ///< Bytes; the most a block may opt in to (dynamic and static together).
  unsigned warpsPerSm;       ///< Resident warps.
  unsigned blocksPerSm;      ///< Resident blocks.
  unsigned clusterPortable;  ///< Largest cluster that every product launches; 1 where there are none.
  unsigned clusterMax;       ///< Largest cluster, with the non-portable attribute of the kernel.
  unsigned tensorMemory;     ///< Bytes of tensor memory per multiprocessor; 0 where there is none.
  uint64_t features;         ///< Bit i is Feature(i).
  std::string_view standard; ///< The product taken for planning where only the architecture is named.

  bool has(Feature feature) const { return features >> static_cast<unsigned>(feature) & 1; }
};

std::span<const GpuInfo> gpus();
const GpuInfo &gpuInfo(Gpu gpu);

/// "sm_90a, sm_100a": the architectures that have it, for messages.
std::string gpusWith(Feature feature);

/// Where a figure comes from. `Measured`: on a card of that product, by this project. `Vendor`: data sheet or
/// white paper. `Assumed`: neither; to be measured before anybody relies on it.
enum class Source : uint8_t { Measured, Vendor, Assumed };
std::string_view sourceName(Source source);

struct Figure {
  double value;
  Source source;
};

struct Product {
  std::string_view name; ///< "h200": lower case, no blanks.
  Gpu gpu;
  unsigned sms;
  Figure l2MiB;
  Figure peakGBs;    ///< Memory bandwidth of the data sheet, 1e9 bytes a second.
  Figure copyGBs;    ///< Read + write of a device-to-device copy: the floor of memory-bound kernels.
  Figure bf16Tflops; ///< Dense bf16 with fp32 accumulation, 1e12 a second; measured: an 8192^3 product.
  Figure fp8Tflops;  ///< Dense e4m3; 0 where the tensor cores have no fp8.
};

std::span<const Product> products();

/// What a name on the command line stands for.
struct GpuTarget {
  const GpuInfo *info;
  const Product *product; ///< The one named, or the standard one of the architecture.
};

/// Looks up an architecture ("sm_90a") or a product ("h200", "H200", "rtx-5090"); the error lists what is
/// near.
Expected<GpuTarget> findGpu(std::string_view name);

/// All accepted names, architectures first.
std::span<const std::string_view> gpuNames();

/// Blocks that fit a multiprocessor at once; 0 if one does not fit.
/// \param registers per thread, as ptxas reports them. \param sharedBytes dynamic and static, per block.
unsigned residentBlocks(const GpuInfo &info, unsigned threads, unsigned registers, unsigned sharedBytes);

} // namespace k3::arch

#endif // K3_ARCH_GPU_H
