//===- LowerFunction.cpp - Core ops become launches and products ----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Names.h"
#include "passes/Exec/Program/FunctionLowering.h"
#include "passes/Host/HostProgram.h"
#include "passes/Host/Kernels/Kernels.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace k3::host {

namespace {

float toFloat(const APFloat &value) { return static_cast<float>(value.convertToDouble()); }

/// The host's kernels and products.
class HostLowering : public FunctionLowering {
public:
  HostLowering(func::FuncOp function, exec::ProgramOp program, KernelModule &kernels, ModuleOp module)
      : FunctionLowering(function, host), host(program, kernels, module) {}

private:
  LogicalResult lower(Operation *op) override {
    return TypeSwitch<Operation *, LogicalResult>(op)
        .Case<EmbeddingOp, RmsNormOp, L2NormOp, GatedNormOp, AttnResOp, SituGluOp, SigmoidGateOp, GatherRowsOp,
              arith::AddFOp>([&](auto row) { return lowerRows(row); })
        .Case<LinearOp, ShortConvOp, KdaGateOp, KdaCoreOp, MlaAppendOp, MlaCoreOp, RouteOp, ExpertsOp, CopyStateOp, SampleOp>(
            [&](auto core) { return lowerCore(core); })
        .Case<AllReduceOp, AllGatherOp, ReduceScatterOp>([&](auto collective) {
          return collective.emitOpError("needs a mesh axis above 1, which the host target does not serve; compile with all axes 1");
        })
        .Default([](Operation *other) { return other->emitOpError("has no lowering to the host target"); });
  }

  /// A kernel whose units are the rows of its result.
  LogicalResult rows(OpResult result, Value like, const HostKernel &kernel, ArrayRef<Value> inputs) {
    SmallVector<Value> views(inputs);
    views.push_back(make(result, like).view);
    host.launch(kernel, views, at(result).rows);
    return success();
  }

  LogicalResult lowerRows(EmbeddingOp op) {
    return rows(op->getResult(0), op.getTokens(), buildEmbedding(host.kernels, {innerOf(op.getOut())[0]}),
                {view(op.getTokens()), p.packed(op.getTableAttr())});
  }
  LogicalResult lowerRows(RmsNormOp op) {
    return rows(op->getResult(0), op.getX(), buildRmsNorm(host.kernels, {innerOf(op.getX())[0], toFloat(op.getEps())}),
                {view(op.getX()), p.packed(op.getWeightAttr())});
  }
  LogicalResult lowerRows(L2NormOp op) {
    ArrayRef<int64_t> inner = innerOf(op.getX());
    L2NormParams params{inner.size() == 2 ? inner[0] : 1, inner.back(), toFloat(op.getEps()), toFloat(op.getScale())};
    return rows(op->getResult(0), op.getX(), buildL2Norm(host.kernels, params), {view(op.getX())});
  }
  LogicalResult lowerRows(GatedNormOp op) {
    ArrayRef<int64_t> inner = innerOf(op.getO());
    return rows(op->getResult(0), op.getO(), buildGatedNorm(host.kernels, {inner[0], inner[1], toFloat(op.getEps())}),
                {view(op.getO()), matrixOf(op.getGate()), p.packed(op.getWeightAttr())});
  }
  LogicalResult lowerRows(SituGluOp op) {
    SituGluParams params{innerOf(op.getY())[0], toFloat(op.getBeta()), toFloat(op.getLinearBeta())};
    return rows(op->getResult(0), op.getX(), buildSituGlu(host.kernels, params), {view(op.getX())});
  }
  LogicalResult lowerRows(SigmoidGateOp op) {
    return rows(op->getResult(0), op.getO(), buildSigmoidGate(host.kernels, {at(op.getO()).rowElements()}),
                {matrixOf(op.getO()), matrixOf(op.getGate())});
  }
  LogicalResult lowerRows(GatherRowsOp op) {
    return rows(op->getResult(0), op.getRows(), buildGatherRows(host.kernels, {innerOf(op.getX())[0]}),
                {view(op.getX()), view(op.getRows())});
  }
  LogicalResult lowerRows(arith::AddFOp op) {
    return rows(op->getResult(0), op.getLhs(), buildAdd(host.kernels, {at(op.getLhs()).rowElements()}),
                {matrixOf(op.getLhs()), matrixOf(op.getRhs())});
  }
  LogicalResult lowerRows(AttnResOp op) {
    AttnResParams params{innerOf(op.getPartial())[0], int64_t(op.getBank().size()), bool(op.getDelta()), bool(op.getNorm()),
                         toFloat(op.getEps())};
    SmallVector<Value> views;
    for (Value source : op.getBank())
      views.push_back(view(source));
    views.push_back(view(op.getPartial()));
    if (op.getDelta())
      views.push_back(view(op.getDelta()));
    views.push_back(p.packed(op.getQueryAttr()));
    if (op.getNormAttr())
      views.push_back(p.packed(op.getNormAttr()));
    views.push_back(make(op->getResult(0), op.getPartial()).view);
    if (op.getSum())
      views.push_back(make(op->getResult(1), op.getPartial()).view);
    host.launch(buildAttnRes(host.kernels, params), views, at(op.getPartial()).rows);
    return success();
  }

  LogicalResult lowerCore(LinearOp op) {
    const Placed x = at(op.getX());
    const Placed &y = make(op->getResult(0), op.getX());
    int64_t n = innerOf(op.getY())[0];
    exec::GemmOp::create(p.b, op.getLoc(), x.view, p.packed(op.getWeightAttr()), y.view,
                         p.map({x.rows, p.constant(n), p.constant(x.inner[0])}), p.stream);
    return success();
  }
  LogicalResult lowerCore(ShortConvOp op) {
    int64_t channels = innerOf(op.getU())[0];
    BatchOp batch = batchOf(op.getBatch());
    host.launch(buildShortConv(host.kernels, {channels}),
             {view(op.getU()), p.packed(op.getWeightAttr()), view(batch.getCuSeqlens()), view(batch.getContextLens()),
              view(batch.getReadSlots()), view(batch.getWriteSlots()), view(batch.getCkptSlots()), view(batch.getCkptRows()),
              p.state(op.getStateAttr()), make(op->getResult(0), op.getU()).view},
             sequences(batch) * shortConvBlocks(channels));
    return success();
  }
  LogicalResult lowerCore(KdaGateOp op) {
    ArrayRef<int64_t> inner = innerOf(op.getG());
    Value g = make(op->getResult(0), op.getF()).view, beta = make(op->getResult(1), op.getF()).view;
    host.launch(buildKdaGate(host.kernels, {inner[0], inner[1], toFloat(op.getBound())}),
             {matrixOf(op.getF()), view(op.getB()), p.packed(op.getALogAttr()), p.packed(op.getDtBiasAttr()), g, beta},
             at(op.getF()).rows);
    return success();
  }
  LogicalResult lowerCore(KdaCoreOp op) {
    KdaCoreParams params{innerOf(op.getK())[0], innerOf(op.getK())[1], innerOf(op.getV())[1], int64_t(op.getChunk()),
                         KdaForm(int(op.getForm()))};
    BatchOp batch = batchOf(op.getBatch());
    host.launch(buildKdaCore(host.kernels, params),
             {view(op.getQ()), view(op.getK()), view(op.getV()), view(op.getG()), view(op.getBeta()),
              view(batch.getCuSeqlens()), view(batch.getContextLens()), view(batch.getReadSlots()), view(batch.getWriteSlots()),
              view(batch.getCkptSlots()), view(batch.getCkptRows()), p.state(op.getStateAttr()),
              make(op->getResult(0), op.getQ()).view},
             sequences(batch) * params.heads);
    return success();
  }
  LogicalResult lowerCore(MlaAppendOp op) {
    int64_t latent = typeOf(p.symbols.lookup<k3::PackedOp>(op.getNorm())).getDimSize(0);
    BatchOp batch = batchOf(op.getBatch());
    host.launch(buildMlaAppend(host.kernels, {latent, innerOf(op.getKv())[0] - latent, toFloat(op.getEps())}),
             {view(op.getKv()), p.packed(op.getNormAttr()), view(batch.getCuSeqlens()), view(batch.getContextLens()),
              view(batch.getBlockTable()), p.state(op.getStateAttr())},
             at(op.getKv()).rows);
    return success();
  }
  LogicalResult lowerCore(MlaCoreOp op) {
    auto kvB = typeOf(p.symbols.lookup<k3::PackedOp>(op.getKvB()));
    int64_t heads = kvB.getDimSize(0), value = innerOf(op.getO())[1], nope = kvB.getDimSize(1) - value;
    MlaCoreParams params{heads, nope, innerOf(op.getQ())[1] - nope, value, kvB.getDimSize(2), MlaForm(int(op.getForm()))};
    BatchOp batch = batchOf(op.getBatch());
    host.launch(buildMlaCore(host.kernels, params),
             {view(op.getQ()), p.packed(op.getKvBAttr()), view(batch.getCuSeqlens()), view(batch.getContextLens()),
              view(batch.getBlockTable()), p.state(op.getStateAttr()), make(op->getResult(0), op.getQ()).view},
             sequences(batch) * heads);
    return success();
  }
  LogicalResult lowerCore(RouteOp op) {
    RouteParams params{innerOf(op.getLogits())[0], int64_t(op.getTop()), toFloat(op.getScale()), op.getRenormalize()};
    Value ids = make(op->getResult(0), op.getLogits()).view, weights = make(op->getResult(1), op.getLogits()).view;
    host.launch(buildRoute(host.kernels, params), {view(op.getLogits()), p.packed(op.getBiasAttr()), ids, weights},
             at(op.getLogits()).rows);
    return success();
  }
  LogicalResult lowerCore(ExpertsOp op) {
    auto w13 = p.symbols.lookup<k3::PackedOp>(op.getW13());
    int64_t latent = innerOf(op.getZ())[0], top = innerOf(op.getIds())[0];
    int64_t width = cast<MxType>(w13.getType()).getShape()[0] / 2;
    ExpertsParams params{int64_t(*w13.getMembers()), top, latent, width, toFloat(op.getBeta()), toFloat(op.getLinearBeta())};
    AffineExpr rows = at(op.getZ()).rows, slots = rows * top;
    std::string name = locationName(op.getLoc());
    Type i32 = p.b.getI32Type(), f32 = p.b.getF32Type();
    Placed offsets = p.tensor(name + ".offsets", p.constant(params.experts + 1), {}, i32);
    Placed order = p.tensor(name + ".order", slots, {}, i32);
    Placed hidden = p.tensor(name + ".hidden", slots, {width}, f32), outs = p.tensor(name + ".outs", slots, {latent}, f32);
    host.launch(buildExpertsGroup(host.kernels, params), {view(op.getIds()), offsets.view, order.view}, p.constant(1));
    host.launch(buildExpertsUp(host.kernels, params),
             {view(op.getZ()), order.view, offsets.view, p.packed(op.getW13Attr()), hidden.view},
             p.constant(expertsUpUnits(params)));
    host.launch(buildExpertsDown(host.kernels, params), {hidden.view, order.view, offsets.view, p.packed(op.getW2Attr()), outs.view},
             p.constant(expertsDownUnits(params)));
    host.launch(buildExpertsCombine(host.kernels, params),
             {outs.view, view(op.getWeights()), make(op->getResult(0), op.getZ()).view}, rows);
    return success();
  }
  LogicalResult lowerCore(CopyStateOp op) {
    int64_t elements = 0;
    Value state = p.stateRows(op.getStateAttr(), elements);
    host.launch(buildCopyRows(host.kernels, {elements}), {view(op.getSrc()), view(op.getDst()), state}, at(op.getSrc()).rows);
    return success();
  }
  LogicalResult lowerCore(SampleOp op) {
    return rows(op->getResult(0), op.getLogits(), buildSampleGreedy(host.kernels, {innerOf(op.getLogits())[0]}),
                {view(op.getLogits())});
  }

  static RankedTensorType typeOf(k3::PackedOp packed) { return cast<RankedTensorType>(packed.getType()); }
  static BatchOp batchOf(Value batch) { return batch.getDefiningOp<BatchOp>(); }
  AffineExpr sequences(BatchOp batch) const { return at(batch.getContextLens()).rows; }

  HostProgram host;
};

} // namespace

LogicalResult lowerFunction(func::FuncOp function, exec::ProgramOp program, KernelModule &kernels, ModuleOp module) {
  return HostLowering(function, program, kernels, module).run();
}

} // namespace k3::host
