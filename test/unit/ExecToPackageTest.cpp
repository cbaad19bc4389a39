//===- ExecToPackageTest.cpp - Programs as package records -------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Exec/ExecToPackage.h"
#include "dialects/Exec/ExecOps.h"
#include "dialects/K3/K3Ops.h"
#include "lib/Package/Expr.h"
#include "lib/Package/GridAbi.h"
#include "lib/Package/Package.h"
#include "lib/Package/Print.h"
#include "passes/Exec/PackageViews.h"
#include "passes/Exec/Passes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace k3;

namespace {

class ExecToPackage : public testing::Test {
protected:
  ExecToPackage() { context.loadDialect<K3Dialect, exec::ExecDialect>(); }

  /// What the model description puts there before programs: one weight family, its packed form, a state,
  /// code.
  static fb::PackageT described() {
    fb::PackageT package;
    auto buffer = [&](const char *name, fb::Space space, int64_t bytes) {
      package.buffers.push_back(std::make_unique<fb::BufferT>());
      package.buffers.back()->name = name;
      package.buffers.back()->space = space;
      package.buffers.back()->bytes = constantExpr(bytes);
    };
    buffer("weights", fb::Space::Weights, 1024);
    buffer("s", fb::Space::State, 0);
    auto weight = std::make_unique<fb::WeightT>();
    weight->name = "w1";
    weight->pattern = "experts.{e}.w1";
    weight->index.push_back(std::make_unique<fb::IndexT>());
    weight->index[0]->var = "e";
    weight->index[0]->count = 2;
    weight->parts.push_back(std::make_unique<fb::PartT>());
    weight->parts[0]->dtype = fb::DType::BF16;
    weight->parts[0]->shape = {6, 4};
    package.weights.push_back(std::move(weight));
    auto packed = std::make_unique<fb::PackedT>();
    packed->name = "w";
    packed->offset = 128;
    packed->stride = 96;
    packed->members = 2;
    packed->dtype = fb::DType::F32;
    packed->shape = {6, 4};
    package.packed.push_back(std::move(packed));
    auto state = std::make_unique<fb::StateT>();
    state->name = "s";
    state->dtype = fb::DType::F32;
    state->shape = {1, 2, 2};
    state->slot_stride = 16;
    state->buffer = 1;
    package.states.push_back(std::move(state));
    fb::HostObjectT object;
    object.grid_abi = K3_GRID_ABI;
    package.images.push_back(std::make_unique<fb::ImageT>());
    package.images[0]->code.Set(std::move(object));
    package.targets.push_back(std::make_unique<fb::TargetT>());
    package.targets[0]->name = "host";
    return package;
  }

  /// Schedules, assigns the arena and writes programs; the diagnostic on failure goes to `error`.
  bool add(const std::string &text, fb::PackageT &package, bool arena = true, const exec::GpuCode *gpu = nullptr) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      error += diagnostic.str();
      return success();
    });
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(symbols + text, &context);
    if (!module)
      return false;
    PassManager passes(&context);
    passes.addNestedPass<exec::ProgramOp>(createSchedulePass());
    if (arena)
      passes.addNestedPass<exec::ProgramOp>(createAssignArenaPass());
    return succeeded(passes.run(*module)) && succeeded(exec::addPrograms(*module, package, 0, gpu));
  }

  MLIRContext context;
  std::string error;
  const std::string symbols = R"(
    k3.weight @w1[2] : tensor<6x4xbf16> from "experts.{e}.w1"
    k3.packed @w[2] : tensor<6x4xf32> {
      %0 = k3.get @w1 : tensor<6x4xbf16>
      %1 = k3.cast %0 : tensor<6x4xbf16> -> tensor<6x4xf32>
      k3.yield %1 : tensor<6x4xf32>
    }
    k3.state @s recurrent : tensor<1x2x2xf32>
    exec.kernel @scale "rbw" symbol "k3.scale"
    exec.kernel @cast "rw"
  )";
};

TEST_F(ExecToPackage, AStep) {
  fb::PackageT package = described();
  ASSERT_TRUE(add(R"(
    exec.program @step step variant ragged on "host" bucket {T = [0, 8]} streams 2 {
      %x = exec.io "x" dims [T, 4] padding -1 : f32
      %y = exec.io "y" output dims [T, 6] : f32
      %w = exec.packed @w member [1] dims [6, 4] : f32
      %s = exec.state @s dims [1, 4] : f32
      %t = exec.tensor "layer.2.t" dims [T, 12] : f32
      %l = exec.view %t at [0] dims [T, 4] row_stride 12 : !exec.view<f32> -> f32
      %r = exec.view %t at [4] dims [T, 6] row_stride 12 : !exec.view<f32> -> f32
      %0 = exec.launch @scale(%x, %s, %l) "rbw" units [T * 2] grain 4 scratch 64
             : !exec.view<f32>, !exec.view<f32>, !exec.view<f32> loc("layer.2.scale")
      %1 = exec.gemm %l, %w -> %r mnk [T, 6, 4] stream 1 : !exec.view<f32>, !exec.view<f32> -> !exec.view<f32>
      exec.tap "layer.2.t" %l writable : !exec.view<f32>
      %2 = exec.launch @cast(%r, %y) "rw" units [T] : !exec.view<f32>, !exec.view<f32>
      exec.tap_state "state" @s
    })",
                  package))
      << error;
  auto written = serializePackage(package);
  ASSERT_TRUE(written.ok()) << written.status().text();
  std::string text = *packageText(package, "programs");
  EXPECT_EQ(text, R"(program step: Step Ragged on host, streams 2, arena 384 bytes, bucket T=0..8
  in  x : F32 [T, 4] in x
  out y : F32 [T, 6] in y
  0 stream 0: launch k3.scale(r x:x F32[T, 4], rw s:s F32[1, 4], w layer.2.t:arena F32[T, 4] rows 12 apart) units 2*T grain 4 scratch 64  // layer.2.scale
  1 stream 1 after 0: gemm layer.2.t:arena+16 F32[T, 6] rows 12 apart = layer.2.t:arena F32[T, 4] rows 12 apart * w:weights+224 F32[6, 4]^T mnk T x 6 x 4
  2 stream 0 after 1: launch cast(r layer.2.t:arena+16 F32[T, 6] rows 12 apart, w y:y F32[T, 6]) units T grain 1
  tap "layer.2.t" layer.2.t:arena F32[T, 4] rows 12 apart after 1, writable
  tap "state" state s
)");
  EXPECT_EQ(package.programs[0]->entries[0]->layer, 2);
  EXPECT_EQ(exprText(*package.programs[0]->entries[1]->flops), "48*T");
  EXPECT_EQ(exprText(*package.programs[0]->entries[1]->bytes), "40*T + 96");
  EXPECT_EQ(package.programs[0]->io[0]->padding, -1);
}

TEST_F(ExecToPackage, GpuLaunches) {
  exec::GpuCode gpu;
  gpu.target = "h200";
  gpu.gpu = "h200";
  std::vector<char> code(100, 'c');
  gpu.kernels["gemm"] = {code, "", "gemm_entry", 168, 8, 1024};
  gpu.kernels["gemm_twin"] = {code, "", "gemm_twin_entry", 168, 8, 1024}; // one image with both
  gpu.kernels["norm"] = {{}, ".version 8.0", "", 32, 0, 0};
  std::string program = R"(
    exec.kernel @gemm_128 "rrw" gpu "gemm"
    exec.kernel @twin "rrw" gpu "gemm_twin"
    exec.kernel @norm "rw" gpu "norm"
    exec.program @f.b0 aux on "h200" bucket {T = [1, 64]} {
      %x = exec.io "x" dims [T, 128] : bf16
      %y = exec.io "y" output dims [T, 256] : bf16
      %t = exec.tensor "t" dims [T, 512] : bf16
      %w = exec.view %t at [64] dims [T, 256] row_stride 512 : !exec.view<bf16> -> bf16
      %0 = exec.gpu_launch @norm(%x, %w) "rw" args [constant 0, step_out 1, f32 1.0, i64 [2 * T]] grid [T, 2] block 256 smem 64
             : !exec.view<bf16>, !exec.view<bf16>
      %1 = exec.gpu_launch @gemm_128(%w, %x, %y) "rrw"
             args [map 0 box [64, 64] swizzle 128, step_in 1, step_out 2, i32 [T]]
             grid [T ceildiv 64, 2] max_ctas [SM] block 384 cluster [2, 1, 1] smem 200000 pdl resident [SM]
             : !exec.view<bf16>, !exec.view<bf16>, !exec.view<bf16>
    })";
  fb::PackageT package = described();
  ASSERT_TRUE(add(program, package, true, &gpu)) << error;
  auto written = serializePackage(package);
  ASSERT_TRUE(written.ok()) << written.status().text();
  fb::PackageT &back = package;
  EXPECT_EQ(*packageText(back, "programs"), R"(program f.b0: Aux Any on h200, streams 1, arena 65,536 bytes, bucket T=1..64
  in  x : BF16 [T, 128] in x
  out y : BF16 [T, 256] in y
  0 stream 0: launch norm(r x:x BF16[T, 128], w t:arena+128 BF16[T, 256] rows 512 apart, F32 bits 1065353216, I64 2*T) grid [T, 2] block [256] smem 64
  1 stream 0: launch gemm_entry(map t:arena+128 BF16[T, 256] rows 512 apart box [64, 64] swizzle 128, r x:x BF16[T, 128], w y:y BF16[T, 256], I32 T) grid [ceil(T/64), 2] max_ctas SM block [384] cluster [2, 1, 1] smem 200000 pdl resident SM
)");
  EXPECT_EQ(package.targets[1]->isa, fb::Isa::Sm90a);
  EXPECT_EQ(package.targets[1]->sm_count, 132u);
  EXPECT_EQ(package.targets[1]->images, (std::vector<uint32_t>{1, 2}));
  EXPECT_NE(packageText(package, "kernels")->find("kernel 2 gemm_entry in image 1, 168 registers, 8 bytes spilled, 1024 bytes of static shared memory"),
            std::string::npos)
      << *packageText(package, "kernels");
  const fb::TensorMapArgT &map = *package.programs[0]->entries[1]->op.AsLaunch()->args[0]->arg.AsTensorMapArg();
  EXPECT_EQ(exprText(map.dims[0]->size) + " " + exprText(map.dims[0]->stride), "T 1024");
  EXPECT_EQ(exprText(map.dims[1]->size) + " " + exprText(map.dims[1]->stride), "256 2");

  fb::PackageT other = described();
  EXPECT_FALSE(add(program, other));
  EXPECT_NE(error.find("is GPU code, which was not compiled"), std::string::npos) << error;
  gpu.kernels.erase("norm");
  other = described();
  EXPECT_FALSE(add(program, other, true, &gpu));
  EXPECT_NE(error.find("names the GPU code 'norm', which was not compiled"), std::string::npos) << error;
}

TEST_F(ExecToPackage, MembersBecomeABody) {
  fb::PackageT package = described();
  ASSERT_TRUE(add(R"(
    exec.program @pack pack on "host" {
      %stage = exec.buffer staging "stage" bytes [128]
      %m = exec.members 2 slots 2 {
        %v = exec.view %stage at [slot * 32] dims [6, 4] : !exec.buffer -> bf16
        %w = exec.packed @w member [member] dims [6, 4] : f32
        %0 = exec.fetch @w1 "" -> %v : !exec.view<bf16>
        %1 = exec.launch @cast(%v, %w) "rw" units [6] : !exec.view<bf16>, !exec.view<f32>
      }
    })",
                  package))
      << error;
  ASSERT_TRUE(serializePackage(package).ok()) << serializePackage(package).status().text();
  EXPECT_EQ(*packageText(package, "programs"),
            R"(program pack.members.0: Body Any on host, streams 1, arena 0 bytes
  0 stream 0: fetch w1[Member] -> stage+64*Slot BF16[6, 4]
  1 stream 0: launch cast(r stage+64*Slot BF16[6, 4], w w:weights+96*Member + 128 F32[6, 4]) units 6 grain 1
program pack: Pack Any on host, streams 1, arena 0 bytes
  0 stream 0: call pack.members.0 for member < 2, slots 2
)");
}

TEST_F(ExecToPackage, ProgramsShareBuffersOfOneName) {
  fb::PackageT package = described();
  ASSERT_TRUE(add(R"(
    exec.program @a step on "host" bucket {T = [0, 8], S = [0, 8]} {
      %x = exec.io "x" dims [T] : f32
      %y = exec.io "y" dims [T] : f32
      %b = exec.buffer staging "stage" bytes [128]
    }
    exec.program @b step on "host" bucket {T = [0, 8], S = [0, 8]} {
      %x = exec.io "x" dims [T] : f32
      %y = exec.io "y" dims [S] : f32
    })",
                  package))
      << error;
  ASSERT_EQ(package.buffers.size(), 4u); // two described ones, x, y; nothing uses the stage
  EXPECT_EQ(exprText(package.buffers[2]->bytes), "4*T");
  EXPECT_EQ(exprText(package.buffers[3]->bytes), "max(4*T, 4*S)");
}

TEST_F(ExecToPackage, TensorsNeedAPlace) {
  fb::PackageT package = described();
  EXPECT_FALSE(add(R"(
    exec.program @a step on "host" bucket {T = [0, 8]} {
      %x = exec.tensor "x" dims [T] : f32
      %0 = exec.fill %x with 0 : !exec.view<f32>
    })",
                   package, /*arena=*/false));
  EXPECT_EQ(error, "'exec.tensor' op has no place yet; run k3-exec-assign-arena first");
}

TEST_F(ExecToPackage, CopiesAreDense) {
  fb::PackageT package = described();
  EXPECT_FALSE(add(R"(
    exec.program @a step on "host" bucket {T = [0, 8]} {
      %x = exec.io "x" dims [T, 8] : f32
      %y = exec.io "y" output dims [T, 4] : f32
      %v = exec.view %x at [0] dims [T, 4] row_stride 8 : !exec.view<f32> -> f32
      %0 = exec.copy %v -> %y : !exec.view<f32> -> !exec.view<f32>
    })",
                   package));
  EXPECT_EQ(error, "'exec.copy' op touches a view whose rows of 4 elements are 8 apart; copies and fills "
                   "need dense views");
}

TEST_F(ExecToPackage, ExpressionsKeepTheirValue) {
  AffineExpr t = exec::symbolExpr(&context, exec::LaunchSymbol::T),
             s = exec::symbolExpr(&context, exec::LaunchSymbol::S);
  AffineExpr expressions[] = {t * s * 3 - 5, (t + s) * 4 + 1, t.floorDiv(3) + (s * 5).ceilDiv(4), t - t,
                              (t + 1) * 2 - s};
  for (AffineExpr expression : expressions) {
    std::unique_ptr<fb::ExprT> expr = exec::toExpr(expression);
    ASSERT_TRUE(expr) << exec::exprText(expression);
    for (int64_t tokens : {0, 1, 7, 64}) {
      SymbolValues values;
      values.set(fb::Sym::T, tokens);
      values.set(fb::Sym::S, 11);
      exec::SymbolAssignment assignment;
      assignment[0] = tokens;
      assignment[1] = 11;
      EXPECT_EQ(*evaluate(*expr, values), *exec::evaluate(expression, assignment))
          << exec::exprText(expression);
    }
  }
  EXPECT_FALSE(exec::toExpr((t + 1).floorDiv(3)));
  EXPECT_FALSE(exec::toExpr(t * t * t));
}

} // namespace
