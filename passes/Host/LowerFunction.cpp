//===- LowerFunction.cpp - Core ops become launches and products ----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Names.h"
#include "dialects/K3/K3StepAbi.h"
#include "passes/Host/ProgramBuilder.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace k3::host {

namespace {

using exec::LaunchSymbol;

float toFloat(const APFloat &value) { return static_cast<float>(value.convertToDouble()); }

/// Lowers one function, op by op in order.
class FunctionLowering {
public:
  FunctionLowering(func::FuncOp function, exec::ProgramOp program, KernelModule &kernels, ModuleOp module)
      : function(function), p(program, kernels, module) {}

  LogicalResult run() {
    placeArguments();
    placeResults();
    for (Operation &op : function.getBody().front().without_terminator()) {
      p.loc = op.getLoc();
      auto stream = op.getAttrOfType<IntegerAttr>(kStreamAttr);
      p.stream = stream ? stream.getInt() : 0;
      if (failed(lower(&op)))
        return failure();
    }
    return finish();
  }

private:
  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  const Placed &at(Value value) const { return placed.find(value)->second; }
  Value view(Value value) const { return at(value).view; }
  static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
  static ArrayRef<int64_t> innerOf(Value value) { return typeOf(value).getShape().drop_front(); }

  /// Memory for a result with as many rows as `like`; what the function returns is written in place.
  const Placed &make(OpResult result, AffineExpr rows) {
    auto [it, inserted] = placed.try_emplace(result);
    if (inserted) {
      std::string name = valueName(result);
      if (name.empty())
        name = locationName(result.getLoc());
      it->second = p.tensor(name.empty() ? result.getOwner()->getName().stripDialect() : StringRef(name), rows,
                            innerOf(result), typeOf(result).getElementType());
    }
    return it->second;
  }
  const Placed &make(OpResult result, Value like) { return make(result, at(like).rows); }

  /// Launch-time extent of an argument's dimension 0.
  AffineExpr rowsOf(BlockArgument argument) {
    RankedTensorType type = typeOf(argument);
    if (!type.isDynamicDim(0))
      return p.constant(type.getDimSize(0));
    std::optional<StepDim> dim = stepDimOf(function, argument.getArgNumber());
    switch (dim.value_or(StepDim::Tokens)) {
    case StepDim::Tokens:
      return p.symbol(LaunchSymbol::T);
    case StepDim::Sequences:
      return p.symbol(LaunchSymbol::S);
    case StepDim::SequencesPlusOne:
      return p.symbol(LaunchSymbol::S) + 1;
    case StepDim::LogitRows:
      return p.symbol(LaunchSymbol::R);
    case StepDim::Checkpoints:
      return p.symbol(LaunchSymbol::C);
    case StepDim::Slots:
      return p.symbol(LaunchSymbol::N);
    case StepDim::Pages:
      return p.symbol(LaunchSymbol::M);
    }
    llvm_unreachable("every step dimension has a symbol");
  }

  void placeArguments() {
    for (BlockArgument argument : function.getArguments())
      placed[argument] = p.io(argumentName(function, argument.getArgNumber()), rowsOf(argument), innerOf(argument),
                              typeOf(argument).getElementType(), /*output=*/false);
  }

  /// Results are outputs; the value behind each (taps are identities) is written there.
  void placeResults() {
    Operation *terminator = function.getBody().front().getTerminator();
    for (OpOperand &operand : terminator->getOpOperands()) {
      Value source = operand.get();
      while (auto tap = source.getDefiningOp<TapOp>())
        source = tap.getInput();
      std::string name = resultName(function, operand.getOperandNumber());
      Placed out = p.io(name, resultRows(source), innerOf(source), typeOf(source).getElementType(), /*output=*/true);
      outputs.push_back(out);
      // Views and arguments have memory of their own; they are copied at the end.
      if (source.getDefiningOp() && !isa<SplitOp, ReshapeOp>(source.getDefiningOp()) && !placed.contains(source))
        placed[source] = out;
    }
  }

  /// Rows of a result before anything is lowered: found through the ops that change them.
  AffineExpr resultRows(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return at(argument).rows;
    if (!typeOf(value).isDynamicDim(0))
      return p.constant(typeOf(value).getDimSize(0));
    if (auto gather = value.getDefiningOp<GatherRowsOp>())
      return resultRows(gather.getRows());
    for (Value operand : value.getDefiningOp()->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        return resultRows(operand);
    return p.symbol(LaunchSymbol::T);
  }

  LogicalResult finish() {
    Operation *terminator = function.getBody().front().getTerminator();
    for (auto [operand, out] : llvm::zip_equal(terminator->getOperands(), outputs)) {
      if (at(operand).rowStride)
        return terminator->emitOpError("returns a part of a k3.split, which is a view among the columns of another tensor; "
                                       "return a computed value");
      if (Value source = view(operand); source != out.view)
        exec::CopyOp::create(p.b, terminator->getLoc(), source, out.view);
    }
    if (auto taps = function->getAttrOfType<ArrayAttr>(kStateTapsAttr))
      for (Attribute tap : taps)
        tapState(cast<DictionaryAttr>(tap));
    return success();
  }

  void tapState(DictionaryAttr tap) {
    int64_t columns = tap.getAs<IntegerAttr>("columns").getInt();
    exec::TapStateOp::create(p.b, function.getLoc(), tap.getAs<StringAttr>("name"), tap.getAs<FlatSymbolRefAttr>("state"),
                             columns ? tap.getAs<IntegerAttr>("first_column") : IntegerAttr(), p.b.getI64IntegerAttr(columns));
  }

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  LogicalResult lower(Operation *op) {
    return TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](BatchOp) { return success(); })
        .Case<EmbeddingOp, RmsNormOp, L2NormOp, GatedNormOp, AttnResOp, SituGluOp, SigmoidGateOp, GatherRowsOp,
              arith::AddFOp>([&](auto row) { return lowerRows(row); })
        .Case<SplitOp, ReshapeOp, TapOp>([&](auto view) { return lowerView(view); })
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
    p.launch(kernel, views, at(result).rows);
    return success();
  }

  LogicalResult lowerRows(EmbeddingOp op) {
    return rows(op->getResult(0), op.getTokens(), buildEmbedding(p.kernels, {innerOf(op.getOut())[0]}),
                {view(op.getTokens()), p.packed(op.getTableAttr())});
  }
  LogicalResult lowerRows(RmsNormOp op) {
    return rows(op->getResult(0), op.getX(), buildRmsNorm(p.kernels, {innerOf(op.getX())[0], toFloat(op.getEps())}),
                {view(op.getX()), p.packed(op.getWeightAttr())});
  }
  LogicalResult lowerRows(L2NormOp op) {
    ArrayRef<int64_t> inner = innerOf(op.getX());
    L2NormParams params{inner.size() == 2 ? inner[0] : 1, inner.back(), toFloat(op.getEps()), toFloat(op.getScale())};
    return rows(op->getResult(0), op.getX(), buildL2Norm(p.kernels, params), {view(op.getX())});
  }
  LogicalResult lowerRows(GatedNormOp op) {
    ArrayRef<int64_t> inner = innerOf(op.getO());
    return rows(op->getResult(0), op.getO(), buildGatedNorm(p.kernels, {inner[0], inner[1], toFloat(op.getEps())}),
                {view(op.getO()), matrixOf(op.getGate()), p.packed(op.getWeightAttr())});
  }
  LogicalResult lowerRows(SituGluOp op) {
    SituGluParams params{innerOf(op.getY())[0], toFloat(op.getBeta()), toFloat(op.getLinearBeta())};
    return rows(op->getResult(0), op.getX(), buildSituGlu(p.kernels, params), {view(op.getX())});
  }
  LogicalResult lowerRows(SigmoidGateOp op) {
    return rows(op->getResult(0), op.getO(), buildSigmoidGate(p.kernels, {at(op.getO()).rowElements()}),
                {matrixOf(op.getO()), matrixOf(op.getGate())});
  }
  LogicalResult lowerRows(GatherRowsOp op) {
    return rows(op->getResult(0), op.getRows(), buildGatherRows(p.kernels, {innerOf(op.getX())[0]}),
                {view(op.getX()), view(op.getRows())});
  }
  LogicalResult lowerRows(arith::AddFOp op) {
    return rows(op->getResult(0), op.getLhs(), buildAdd(p.kernels, {at(op.getLhs()).rowElements()}),
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
    p.launch(buildAttnRes(p.kernels, params), views, at(op.getPartial()).rows);
    return success();
  }

  /// The value as [rows, columns].
  Value matrixOf(Value value) {
    const Placed &of = at(value);
    return of.inner.size() == 1 ? of.view : p.matrix(of).view;
  }

  LogicalResult lowerView(SplitOp op) {
    int64_t column = 0;
    for (Value part : op.getParts()) {
      if (!part.use_empty())
        placed[part] = p.columns(at(op.getInput()), column, innerOf(part));
      column += llvm::product_of(innerOf(part));
    }
    return success();
  }
  LogicalResult lowerView(ReshapeOp op) {
    placed[op.getResult()] = p.columns(at(op.getInput()), 0, innerOf(op.getResult()));
    return success();
  }
  LogicalResult lowerView(TapOp op) {
    const Placed &input = at(op.getInput());
    exec::TapOp::create(p.b, op.getLoc(), op.getName(), input.view, /*writable=*/true);
    placed[op.getResult()] = Placed(input);
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
    p.launch(buildShortConv(p.kernels, {channels}),
             {view(op.getU()), p.packed(op.getWeightAttr()), view(batch.getCuSeqlens()), view(batch.getContextLens()),
              view(batch.getReadSlots()), view(batch.getWriteSlots()), view(batch.getCkptSlots()), view(batch.getCkptRows()),
              p.state(op.getStateAttr()), make(op->getResult(0), op.getU()).view},
             sequences(batch) * shortConvBlocks(channels));
    return success();
  }
  LogicalResult lowerCore(KdaGateOp op) {
    ArrayRef<int64_t> inner = innerOf(op.getG());
    Value g = make(op->getResult(0), op.getF()).view, beta = make(op->getResult(1), op.getF()).view;
    p.launch(buildKdaGate(p.kernels, {inner[0], inner[1], toFloat(op.getBound())}),
             {matrixOf(op.getF()), view(op.getB()), p.packed(op.getALogAttr()), p.packed(op.getDtBiasAttr()), g, beta},
             at(op.getF()).rows);
    return success();
  }
  LogicalResult lowerCore(KdaCoreOp op) {
    KdaCoreParams params{innerOf(op.getK())[0], innerOf(op.getK())[1], innerOf(op.getV())[1], int64_t(op.getChunk()),
                         KdaForm(int(op.getForm()))};
    BatchOp batch = batchOf(op.getBatch());
    p.launch(buildKdaCore(p.kernels, params),
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
    p.launch(buildMlaAppend(p.kernels, {latent, innerOf(op.getKv())[0] - latent, toFloat(op.getEps())}),
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
    p.launch(buildMlaCore(p.kernels, params),
             {view(op.getQ()), p.packed(op.getKvBAttr()), view(batch.getCuSeqlens()), view(batch.getContextLens()),
              view(batch.getBlockTable()), p.state(op.getStateAttr()), make(op->getResult(0), op.getQ()).view},
             sequences(batch) * heads);
    return success();
  }
  LogicalResult lowerCore(RouteOp op) {
    RouteParams params{innerOf(op.getLogits())[0], int64_t(op.getTop()), toFloat(op.getScale()), op.getRenormalize()};
    Value ids = make(op->getResult(0), op.getLogits()).view, weights = make(op->getResult(1), op.getLogits()).view;
    p.launch(buildRoute(p.kernels, params), {view(op.getLogits()), p.packed(op.getBiasAttr()), ids, weights},
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
    p.launch(buildExpertsGroup(p.kernels, params), {view(op.getIds()), offsets.view, order.view}, p.constant(1));
    p.launch(buildExpertsUp(p.kernels, params),
             {view(op.getZ()), order.view, offsets.view, p.packed(op.getW13Attr()), hidden.view},
             p.constant(expertsUpUnits(params)));
    p.launch(buildExpertsDown(p.kernels, params), {hidden.view, order.view, offsets.view, p.packed(op.getW2Attr()), outs.view},
             p.constant(expertsDownUnits(params)));
    p.launch(buildExpertsCombine(p.kernels, params),
             {outs.view, view(op.getWeights()), make(op->getResult(0), op.getZ()).view}, rows);
    return success();
  }
  LogicalResult lowerCore(CopyStateOp op) {
    int64_t elements = 0;
    Value state = p.stateRows(op.getStateAttr(), elements);
    p.launch(buildCopyRows(p.kernels, {elements}), {view(op.getSrc()), view(op.getDst()), state}, at(op.getSrc()).rows);
    return success();
  }
  LogicalResult lowerCore(SampleOp op) {
    return rows(op->getResult(0), op.getLogits(), buildSampleGreedy(p.kernels, {innerOf(op.getLogits())[0]}),
                {view(op.getLogits())});
  }

  static RankedTensorType typeOf(k3::PackedOp packed) { return cast<RankedTensorType>(packed.getType()); }
  static BatchOp batchOf(Value batch) { return batch.getDefiningOp<BatchOp>(); }
  AffineExpr sequences(BatchOp batch) const { return at(batch.getContextLens()).rows; }

  func::FuncOp function;
  ProgramBuilder p;
  llvm::DenseMap<Value, Placed> placed;
  SmallVector<Placed> outputs;
};

} // namespace

LogicalResult lowerFunction(func::FuncOp function, exec::ProgramOp program, KernelModule &kernels, ModuleOp module) {
  return FunctionLowering(function, program, kernels, module).run();
}

} // namespace k3::host
