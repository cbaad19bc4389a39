//===- ModelBuilder.cpp - The IR of a model: attributes, symbols, functions -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the module from a config and its weights. The wiring of the attention residuals is in buildStep().
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Names.h"
#include "dialects/K3/K3Ops.h"
#include "frontend/HuggingFace/Import.h"

#include "mlir/IR/Builders.h"

using namespace k3;
using namespace mlir;

namespace {

constexpr int64_t kPage = 64; ///< Tokens of a page of the latent cache.

class ModelBuilder {
public:
  ModelBuilder(MLIRContext &context, const ModelConfig &config, const ImportOptions &options)
      : b(&context), c(config), options(options), i32(b.getI32Type()), f32(b.getF32Type()),
        activation(options.precision == "bf16" ? Type(b.getBF16Type()) : Type(f32)) {}

  OwningOpRef<ModuleOp> run(const std::vector<WeightSpec> &weights, const Inventory &inventory) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(named("model"), StringRef("model"));
    b.setInsertionPointToStart(module->getBody());
    setAttributes(*module, inventory);
    for (const WeightSpec &spec : weights)
      declareWeight(spec);
    for (int64_t layer = 0; layer < c.layers; ++layer) {
      declareState(layer);
      if (layer > 0) // the first mix of the model has one source and needs no query
        declareQuery(layerSymbol(layer, "attn_query"), layerSymbol(layer, "attn_res"));
      declareQuery(layerSymbol(layer, "mlp_query"), layerSymbol(layer, "mlp_res"));
    }
    declareQuery("out_query", "out_res");
    buildStep();
    buildCopyState();
    buildSample();
    return module;
  }

private:
  //===--- Small helpers
  //--------------------------------------------------------------------------------------===//

  Location named(const Twine &name) { return NameLoc::get(b.getStringAttr(name)); }
  Location at(const Twine &what) { return named("layer." + Twine(currentLayer) + "." + what); }
  static std::string layerSymbol(int64_t layer, StringRef name) {
    return ("layers." + Twine(layer) + "." + name).str();
  }
  FlatSymbolRefAttr symbol(StringRef name) { return FlatSymbolRefAttr::get(b.getContext(), name); }
  FlatSymbolRefAttr own(StringRef name) { return symbol(layerSymbol(currentLayer, name)); }
  FloatAttr real(double value) { return b.getF64FloatAttr(value); }
  RankedTensorType vectorType(Type element) { return RankedTensorType::get({ShapedType::kDynamic}, element); }
  RankedTensorType rows(int64_t width, Type element) {
    return RankedTensorType::get({ShapedType::kDynamic, width}, element);
  }
  RankedTensorType hidden() { return rows(c.hidden, activation); }

  /// {role = @layers.l.role, ...}; a role may differ from its symbol ("a_log" and @layers.l.A_log).
  DictionaryAttr bind(ArrayRef<StringRef> names) {
    SmallVector<NamedAttribute> entries;
    for (StringRef name : names)
      entries.push_back(b.getNamedAttr(name.lower(), own(name)));
    return b.getDictionaryAttr(entries);
  }

  /// Marks an op as part of the current layer.
  template <typename OpT>
  Value inLayer(OpT op) {
    op->setAttr(kLayerAttr, b.getI64IntegerAttr(currentLayer));
    return op->getResult(0);
  }

  //===--- Attributes and symbols
  //-----------------------------------------------------------------------------===//

  void setAttributes(ModuleOp module, const Inventory &inventory) {
    auto number = [&](StringRef name, int64_t value) {
      return b.getNamedAttr(name, b.getI64IntegerAttr(value));
    };
    module->setAttr(K3Dialect::kVersionAttr, b.getI64IntegerAttr(K3Dialect::kVersion));
    module->setAttr(K3Dialect::kMeshAttr, MeshAttr::get(b.getContext(), 1, 1, 1, 1, 1));
    module->setAttr(K3Dialect::kPrecisionAttr, b.getStringAttr(options.precision));
    DictionaryAttr dims = b.getDictionaryAttr(
        {number("hidden", c.hidden), number("attn_res_block", c.attnResBlock),
         number("kda_heads", c.kdaHeads), number("kda_dim", c.kdaDim), number("mla_heads", c.mlaHeads),
         number("q_lora", c.qLora), number("kv_lora", c.kvLora), number("nope", c.nope),
         number("rope", c.rope), number("v", c.vDim), number("dense_layers", c.denseLayers),
         number("dense_width", c.denseWidth), number("experts", c.experts), number("top", c.top),
         number("shared_experts", c.sharedExperts), number("expert_width", c.expertWidth),
         number("latent", c.latent)});
    module->setAttr(K3Dialect::kModelAttr,
                    b.getDictionaryAttr(
                        {b.getNamedAttr("arch", b.getStringAttr("kimi_k3")), b.getNamedAttr("dims", dims),
                         number("vocab", c.vocab), number("layers", c.layers), number("eos", c.eos),
                         number("bos", c.bos), number("pad", c.pad),
                         b.getNamedAttr("tokenizer", b.getStringAttr(c.bytesVocabulary() ? "bytes" : "none")),
                         number("config_hash", static_cast<int64_t>(c.hash))}));
    module->setAttr(
        K3Dialect::kLimitsAttr,
        b.getDictionaryAttr({number("max_tokens", options.maxTokens), number("max_seqs", options.maxSeqs),
                             number("max_context", options.maxContext),
                             b.getNamedAttr("all_logits", b.getBoolAttr(options.allLogits))}));
    SmallVector<Attribute> skipped;
    if (inventory.skippedTensors)
      skipped.push_back(
          b.getDictionaryAttr({b.getNamedAttr("pattern", b.getStringAttr("vision_tower.*|mm_projector.*")),
                               b.getNamedAttr("reason", b.getStringAttr("vision tower")),
                               number("count", static_cast<int64_t>(inventory.skippedTensors)),
                               number("bytes", static_cast<int64_t>(inventory.skippedBytes))}));
    module->setAttr("k3.skipped", b.getArrayAttr(skipped));
  }

  Type weightType(const WeightSpec &spec) {
    if (spec.format == WeightSpec::Format::Mxfp4)
      return MxType::get(b.getContext(), spec.shape, MxElement::E2M1, 32, MxScale::E8M0);
    return RankedTensorType::get(spec.shape,
                                 spec.format == WeightSpec::Format::F32 ? Type(f32) : b.getBF16Type());
  }

  void declareWeight(const WeightSpec &spec) {
    auto count = [&](int64_t value) { return value ? b.getI64IntegerAttr(value) : IntegerAttr(); };
    Type type = weightType(spec);
    weightTypes[spec.symbol] = type;
    WeightOp::create(b, named(spec.symbol), spec.symbol, count(spec.members), type, spec.name,
                     count(spec.used), b.getStringAttr(spec.init), ShardAttr());
  }

  /// Recurrent state is f32 in every precision; the others follow the activations.
  void declareState(int64_t layer) {
    auto declare = [&](StringRef name, StateKind kind, ArrayRef<int64_t> shape, Type element) {
      std::string full = layerSymbol(layer, name);
      StateOp::create(b, named(full), full, kind,
                      kind == StateKind::Paged ? b.getI64IntegerAttr(kPage) : IntegerAttr(),
                      RankedTensorType::get(shape, element), ShardAttr());
      states.push_back({full, kind});
    };
    if (c.isMla[layer]) {
      declare("latent", StateKind::Paged, {c.kvLora + c.rope}, activation);
      return;
    }
    declare("s", StateKind::Recurrent, {c.kdaHeads, c.kdaDim, c.kdaDim}, f32);
    declare("conv", StateKind::Conv, {c.convWidth - 1, 3 * c.kdaWidth()}, activation);
  }

  /// The folded vector of an attention residual, c = norm * proj in f32.
  void declareQuery(const std::string &name, const std::string &source) {
    Location loc = named(name);
    auto type = RankedTensorType::get({c.hidden}, f32);
    PackedOp packed = PackedOp::create(b, loc, name, IntegerAttr(), type, ShardAttr());
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&packed.getBody());
    auto get = [&](const std::string &weight) -> Value {
      return GetOp::create(b, loc, weightTypes.at(weight), symbol(weight));
    };
    Value norm = CastOp::create(b, loc, type, get(source + "_norm"));
    Value proj =
        ReshapeOp::create(b, loc, RankedTensorType::get({c.hidden}, b.getBF16Type()), get(source + "_proj"));
    Value query = CastOp::create(b, loc, type, proj);
    YieldOp::create(b, loc, arith::MulFOp::create(b, loc, norm, query));
  }

  //===--- Functions
  //------------------------------------------------------------------------------------------===//

  func::FuncOp startFunction(StringRef name, ArrayRef<Type> inputs, ArrayRef<StringRef> names,
                             TypeRange results) {
    b.setInsertionPointAfter(&b.getInsertionBlock()->back());
    auto function = func::FuncOp::create(b, named(name), name, b.getFunctionType(inputs, results));
    Block *body = &function.getBody().emplaceBlock();
    for (auto [type, argument] : llvm::zip_equal(inputs, names))
      body->addArgument(type, named(argument));
    b.setInsertionPointToStart(body);
    return function;
  }
  void endFunction(func::FuncOp function, ValueRange results) {
    func::ReturnOp::create(b, function.getLoc(), results);
    b.setInsertionPointAfter(function);
  }

  Value mix(Location loc, ArrayRef<Value> bank, Value partial, StringRef query) {
    return inLayer(AttnResOp::create(b, loc, hidden(), Type(), bank, partial, Value(), symbol(query),
                                     FlatSymbolRefAttr(), real(c.eps)));
  }
  Value norm(Location loc, Value x, StringRef weight) {
    return inLayer(RmsNormOp::create(b, loc, hidden(), x, own(weight), real(c.eps)));
  }
  Value add(Location loc, Value x, Value y) { return inLayer(arith::AddFOp::create(b, loc, x, y)); }

  Value attention(Value x, Value batch) {
    if (c.isMla[currentLayer])
      return inLayer(GatedMlaOp::create(
          b, at("attn_out"), hidden(), x, batch,
          bind({"q_a", "q_a_norm", "q_b", "kv_a", "kv_a_norm", "kv_b", "g", "o"}), bind({"latent"}),
          b.getI64IntegerAttr(c.mlaHeads), b.getI64IntegerAttr(c.nope), b.getI64IntegerAttr(c.rope),
          b.getI64IntegerAttr(c.vDim), real(options.mlaNormEps)));
    return inLayer(KdaOp::create(b, at("attn_out"), hidden(), x, batch,
                                 bind({"q", "k", "v", "g", "f_a", "f_b", "b", "conv_q", "conv_k", "conv_v",
                                       "A_log", "dt_bias", "o_norm", "o"}),
                                 bind({"s", "conv"}), b.getI64IntegerAttr(c.kdaHeads),
                                 b.getI64IntegerAttr(c.kdaDim), real(c.gateBound), real(c.eps)));
  }

  Value ffn(Value x) {
    if (c.isDense(currentLayer))
      return inLayer(DenseFfnOp::create(b, at("ffn_out"), hidden(), x, bind({"gate", "up", "down"}),
                                        real(c.beta), real(c.linearBeta)));
    return inLayer(LatentMoeOp::create(
        b, at("ffn_out"), hidden(), x,
        bind({"router", "bias", "down", "up", "norm", "w1", "w2", "w3", "s_gate", "s_up", "s_down"}),
        b.getI64IntegerAttr(c.top), real(c.routedScale), c.renormalize ? b.getUnitAttr() : UnitAttr(),
        real(c.beta), real(c.linearBeta), real(c.eps)));
  }

  /// Block attention residuals. `bank` holds the sum of every finished block, `p` that of the current one. At
  /// the first layer of a block the attention mix still sees the finished sum as its last source; then it
  /// joins the bank and p starts again with the output of that attention. The mix feeds sub-layers only: it
  /// never enters p.
  void buildStep() {
    SmallVector<Type> inputs(11, vectorType(i32));
    inputs[5] = rows((options.maxContext + kPage - 1) / kPage, i32);
    Type logitsType = rows(c.vocab, f32);
    func::FuncOp step =
        startFunction("step", inputs,
                      {"tokens", "cu_seqlens", "context_lens", "read_slots", "write_slots", "block_table",
                       "logit_rows", "draft_lens", "accepted", "ckpt_slots", "ckpt_rows"},
                      logitsType);
    auto a = [&](unsigned index) -> Value { return step.getArgument(index); };
    Value batch = BatchOp::create(b, named("batch"), BatchType::get(b.getContext()), a(1), a(2), a(3), a(4),
                                  a(5), a(7), a(8), a(9), a(10));
    Value p = EmbeddingOp::create(b, named("embedding"), hidden(), a(0), symbol("embed"));
    SmallVector<Value> bank;
    for (currentLayer = 0; currentLayer < c.layers; ++currentLayer) {
      bool starts = currentLayer % c.attnResBlock == 0;
      Value x = bank.empty() ? p : mix(at("attn_mix"), bank, p, layerSymbol(currentLayer, "attn_query"));
      Value y = attention(norm(at("attn_in"), x, "input_norm"), batch);
      if (starts)
        bank.push_back(p);
      p = starts ? y : add(at("p_attn"), p, y);
      Value h = mix(at("ffn_mix"), bank, p, layerSymbol(currentLayer, "mlp_query"));
      p = add(at("p"), p, ffn(norm(at("ffn_in"), h, "post_norm")));
    }
    Value h = AttnResOp::create(b, named("final_mix"), hidden(), Type(), bank, p, Value(),
                                symbol("out_query"), FlatSymbolRefAttr(), real(c.eps))
                  .getMixed();
    Value logits = LmHeadOp::create(b, named("logits"), logitsType, h, a(6), symbol("norm"),
                                    symbol("lm_head"), real(c.eps));
    endFunction(step, logits);
  }

  /// @copy_state(src_slots[N], dst_slots[N], src_pages[M], dst_pages[M]): slots of every fixed-size state,
  /// pages of every latent cache.
  void buildCopyState() {
    func::FuncOp copy = startFunction("copy_state", SmallVector<Type>(4, vectorType(i32)),
                                      {"src_slots", "dst_slots", "src_pages", "dst_pages"}, {});
    for (const auto &[name, kind] : states) {
      unsigned first = kind == StateKind::Paged ? 2 : 0;
      CopyStateOp::create(b, named(name), copy.getArgument(first), copy.getArgument(first + 1), symbol(name));
    }
    endFunction(copy, {});
  }

  /// @sample(logits[R, vocab], temperature[R], top_p[R], seed[R], step[R]) -> ids[R]
  void buildSample() {
    Type reals = vectorType(f32), ints = vectorType(i32);
    func::FuncOp sample = startFunction("sample", {rows(c.vocab, f32), reals, reals, ints, ints},
                                        {"logits", "temperature", "top_p", "seed", "step"}, ints);
    Value ids = SampleOp::create(b, named("ids"), ints, sample.getArgument(0), sample.getArgument(1),
                                 sample.getArgument(2), sample.getArgument(3), sample.getArgument(4));
    endFunction(sample, ids);
  }

  OpBuilder b;
  const ModelConfig &c;
  const ImportOptions &options;
  Type i32, f32, activation;
  int64_t currentLayer = 0;
  llvm::StringMap<Type> weightTypes;
  SmallVector<std::pair<std::string, StateKind>> states;
};

} // namespace

OwningOpRef<ModuleOp> k3::buildModule(MLIRContext &context, const ModelConfig &config,
                                      const std::vector<WeightSpec> &weights, const ImportOptions &options,
                                      const Inventory &inventory) {
  context.loadDialect<K3Dialect, func::FuncDialect, arith::ArithDialect>();
  return ModelBuilder(context, config, options).run(weights, inventory);
}
