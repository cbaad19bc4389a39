//===- ExecToPackage.cpp - Programs of a module as package records - -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Exec/ExecToPackage.h"

#include "lib/Package/Expr.h"
#include "passes/Exec/GpuImages.h"
#include "passes/Exec/Order.h"
#include "passes/Exec/PackageViews.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace k3::exec {

namespace {

using ViewPtr = std::unique_ptr<fb::ViewT>;

/// Writes one program, and the body programs of its `exec.members` before it.
class ProgramWriter {
public:
  ProgramWriter(ProgramOp op, fb::PackageT &package, ViewWriter &views,
                const llvm::StringMap<uint32_t> &kernels)
      : op(op), package(package), views(views), kernels(kernels) {}

  LogicalResult run() {
    auto named = llvm::find_if(package.targets, [&](const auto &known) { return op.getTarget() == known->name; });
    if (named == package.targets.end())
      return op.emitOpError("runs on '") << op.getTarget() << "', a target that the package does not have";
    target = static_cast<uint32_t>(named - package.targets.begin());
    auto program = start(op.getName().str(), static_cast<fb::Kind>(op.getKind()));
    program->variant = static_cast<fb::Variant>(op.getVariant());
    if (op.getBody().empty()) {
      package.programs.push_back(std::move(program));
      return success();
    }
    Block &block = op.getBody().front();
    EntryOrder order(block);
    for (Operation &inner : block) {
      LogicalResult written =
          TypeSwitch<Operation *, LogicalResult>(&inner)
              .Case([&](IoOp io) { return writeIo(io, *program); })
              .Case([&](BufferOp buffer) { return noteArena(buffer, *program); })
              .Case([&](TapOp tap) { return writeTap(tap, order, *program); })
              .Case([&](TapStateOp tap) { return writeStateTap(tap, *program); })
              .Case([&](EntryOpInterface entry) { return writeEntry(entry, order, *program); })
              .Default([](Operation *) { return success(); });
      if (failed(written))
        return failure();
    }
    package.programs.push_back(std::move(program));
    return success();
  }

private:
  std::unique_ptr<fb::ProgramT> start(std::string name, fb::Kind kind) {
    auto program = std::make_unique<fb::ProgramT>();
    program->name = std::move(name);
    program->kind = kind;
    program->target = target;
    program->streams = static_cast<uint16_t>(op.getStreams());
    for (unsigned i = 0; i < launchSymbolCount; ++i) {
      auto range = op.getLimit(static_cast<LaunchSymbol>(i));
      if (!range)
        continue;
      auto limit = std::make_unique<fb::LimitT>();
      limit->sym = symbolOf(static_cast<LaunchSymbol>(i));
      limit->min = range->first;
      limit->max = range->second;
      program->bucket.push_back(std::move(limit));
    }
    return program;
  }

  static fb::Sym symbolOf(LaunchSymbol symbol) {
    static constexpr fb::Sym symbols[] = {fb::Sym::T,      fb::Sym::S,    fb::Sym::R, fb::Sym::C, fb::Sym::SM,
                                          fb::Sym::Member, fb::Sym::Slot, fb::Sym::N, fb::Sym::M};
    return symbols[static_cast<unsigned>(symbol)];
  }

  //===--- Arguments, arena, taps
  //---------------------------------------------------------------------------===//

  LogicalResult writeIo(IoOp io, fb::ProgramT &program) {
    auto dims = views.dims(io, io.getDims());
    FailureOr<uint32_t> buffer = views.buffer(io);
    if (failed(dims) || failed(buffer))
      return failure();
    auto record = std::make_unique<fb::IoT>();
    record->name = io.getName().str();
    record->dtype = toDType(io.getView().getType().getElementType());
    record->dims = std::move(*dims);
    record->buffer = *buffer;
    record->output = io.getOutput();
    record->padding = io.getPadding().value_or(0);
    program.io.push_back(std::move(record));
    return success();
  }

  LogicalResult noteArena(BufferOp buffer, fb::ProgramT &program) {
    if (buffer.getSpace() != Space::Arena)
      return success();
    FailureOr<uint32_t> index = views.buffer(buffer);
    auto bytes = dyn_cast<AffineConstantExpr>(buffer.getBytes().getResult(0));
    if (failed(index) || !bytes)
      return buffer.emitOpError("the arena needs a constant size");
    program.arena = *index;
    program.arena_bytes = bytes.getValue();
    return success();
  }

  LogicalResult writeTap(TapOp tap, const EntryOrder &order, fb::ProgramT &program) {
    unsigned position = order.position(tap);
    if (position == 0)
      return tap.emitOpError("'") << tap.getName()
                                  << "' stands before the first entry; tap what an entry writes";
    FailureOr<ViewPtr> view = views.view(tap.getView());
    auto shape = views.dims(tap, tap.getDims().value_or(getViewDims(tap.getView())));
    if (failed(view) || failed(shape))
      return failure();
    auto record = std::make_unique<fb::TapT>();
    record->name = tap.getName().str();
    record->view = std::move(*view);
    record->writable = tap.getWritable();
    record->entry = position - 1;
    record->shape = std::move(*shape);
    program.taps.push_back(std::move(record));
    return success();
  }

  LogicalResult writeStateTap(TapStateOp tap, fb::ProgramT &program) {
    auto record = std::make_unique<fb::TapT>();
    record->name = tap.getName().str();
    record->state = tap.getSymbol().str();
    record->first_column = tap.getFirstColumn().value_or(0);
    record->columns = tap.getColumns();
    program.taps.push_back(std::move(record));
    return success();
  }

  //===--- Entries
  //------------------------------------------------------------------------------------------===//

  LogicalResult writeEntry(EntryOpInterface entry, const EntryOrder &order, fb::ProgramT &program) {
    auto record = std::make_unique<fb::EntryT>();
    record->name = locationName(entry->getLoc());
    record->stream = static_cast<uint16_t>(entry.getEntryStream());
    record->loc = locationIndex(entry->getLoc());
    if (StringRef name = record->name; name.consume_front("layer.") || name.consume_front("layers."))
      if (int layer = 0; !name.consumeInteger(10, layer))
        record->layer = layer;
    for (Value event : entry.getWaits())
      if (std::optional<unsigned> index = order.indexOf(event.getDefiningOp()))
        record->waits.push_back(*index);
    llvm::sort(record->waits);
    LogicalResult written =
        TypeSwitch<Operation *, LogicalResult>(entry)
            .Case<LaunchOp, GpuLaunchOp, GemmOp, CopyOp, FillOp, FetchOp, CollectiveOp, MembersOp>(
                [&](auto concrete) { return write(concrete, *record); })
            .Default([](Operation *other) { return other->emitOpError("has no record in a package"); });
    program.entries.push_back(std::move(record));
    return written;
  }

  LogicalResult write(LaunchOp launch, fb::EntryT &entry) {
    fb::LaunchT record;
    auto kernel = kernels.find(launch.getKernel());
    if (kernel == kernels.end())
      return launch.emitOpError("names a kernel that the module does not declare");
    record.kernel = kernel->second;
    FailureOr<std::unique_ptr<fb::ExprT>> units = views.expr(launch, launch.getUnits().getResult(0));
    if (failed(units))
      return failure();
    record.grid = std::make_unique<fb::Dim3T>();
    record.grid->x = std::move(*units);
    record.grain = static_cast<uint32_t>(launch.getGrain());
    record.dyn_smem = static_cast<uint32_t>(launch.getScratch());
    for (const ViewAccess &access : launch.getViewAccesses()) {
      FailureOr<ViewPtr> view = views.view(access.view);
      if (failed(view))
        return failure();
      fb::BufferArgT arg;
      arg.view = std::move(*view);
      arg.access = (access.read ? 1 : 0) | (access.write ? 2 : 0);
      arg.role = access.write ? 2 : isa<PackedOp>(rootOf(access.view)) ? 0 : 1;
      add(record, std::move(arg));
    }
    entry.op.Set(std::move(record));
    return success();
  }

  template <typename ArgT>
  static void add(fb::LaunchT &record, ArgT arg) {
    record.args.push_back(std::make_unique<fb::ArgBoxT>());
    record.args.back()->arg.Set(std::move(arg));
  }

  /// Launches of GPU code: argument by argument, in the order of the kernel's parameters.
  LogicalResult write(GpuLaunchOp launch, fb::EntryT &entry) {
    fb::LaunchT record;
    auto kernel = kernels.find(launch.getKernel());
    if (kernel == kernels.end())
      return launch.emitOpError("names a kernel that the module does not declare");
    record.kernel = kernel->second;
    record.grid = std::make_unique<fb::Dim3T>();
    std::unique_ptr<fb::ExprT> *blocks[] = {&record.grid->x, &record.grid->y, &record.grid->z};
    auto set = [&](std::unique_ptr<fb::ExprT> &field, AffineMap map, unsigned result) -> LogicalResult {
      FailureOr<std::unique_ptr<fb::ExprT>> value = views.expr(launch, map.getResult(result));
      if (succeeded(value))
        field = std::move(*value);
      return value;
    };
    for (unsigned i = 0; i < launch.getGrid().getNumResults(); ++i)
      if (failed(set(*blocks[i], launch.getGrid(), i)))
        return failure();
    if (launch.getMaxCtas() && failed(set(record.max_ctas, *launch.getMaxCtas(), 0)))
      return failure();
    if (launch.getResident() && failed(set(record.min_resident, *launch.getResident(), 0)))
      return failure();
    record.block = {static_cast<uint32_t>(launch.getBlock())};
    if (launch.getCluster())
      for (int64_t extent : launch.getClusterDims())
        record.cluster.push_back(static_cast<uint32_t>(extent));
    record.dyn_smem = static_cast<uint32_t>(launch.getSmem());
    record.pdl = launch.getPdl();
    for (Attribute arg : launch.getArgs())
      if (failed(writeArg(launch, arg, record)))
        return failure();
    entry.op.Set(std::move(record));
    return success();
  }

  LogicalResult writeArg(GpuLaunchOp launch, Attribute arg, fb::LaunchT &record) {
    if (auto pointer = dyn_cast<PointerArgAttr>(arg)) {
      FailureOr<ViewPtr> view = views.view(launch.getViews()[pointer.getView()]);
      if (failed(view))
        return failure();
      fb::BufferArgT result;
      result.view = std::move(*view);
      char letter = launch.getAccess()[pointer.getView()];
      result.access = letter == 'r' ? 1 : letter == 'w' ? 2 : 3;
      result.role = static_cast<uint8_t>(pointer.getRole());
      add(record, std::move(result));
    } else if (auto map = dyn_cast<MapArgAttr>(arg)) {
      return writeMap(launch, map, record);
    } else if (auto scalar = dyn_cast<ScalarArgAttr>(arg)) {
      FailureOr<std::unique_ptr<fb::ExprT>> value = views.expr(launch, scalar.getValue().getValue().getResult(0));
      if (failed(value))
        return failure();
      fb::ScalarArgT result;
      result.dtype = toDType(scalar.getType());
      result.value = std::move(*value);
      add(record, std::move(result));
    } else {
      fb::ScalarArgT result;
      result.dtype = fb::DType::F32;
      result.is_const = true;
      result.bits = cast<FloatAttr>(arg).getValue().bitcastToAPInt().getZExtValue();
      add(record, std::move(result));
    }
    return success();
  }

  /// Dimensions in the order of the view, outermost first; strides in bytes.
  LogicalResult writeMap(GpuLaunchOp launch, MapArgAttr map, fb::LaunchT &record) {
    Value view = launch.getViews()[map.getView()];
    FailureOr<ViewPtr> place = views.view(view);
    if (failed(place))
      return failure();
    fb::TensorMapArgT result;
    AffineMap extents = getViewDims(view);
    int64_t stride = cast<ViewType>(view.getType()).getElementBytes(), element = stride;
    for (size_t i = extents.getNumResults(); i-- > 0;) {
      FailureOr<std::unique_ptr<fb::ExprT>> size = views.expr(launch, extents.getResult(i));
      if (failed(size))
        return failure();
      auto dim = std::make_unique<fb::MapDimT>();
      dim->size = std::move(*size);
      dim->stride = constantExpr(i == 0 && extents.getNumResults() > 1 ? *getRowStride(view) * element : stride);
      dim->box = static_cast<uint32_t>(map.getBox()[i]);
      result.dims.push_back(std::move(dim));
      if (i > 0)
        stride *= cast<AffineConstantExpr>(extents.getResult(i)).getValue();
    }
    std::reverse(result.dims.begin(), result.dims.end());
    result.view = std::move(*place);
    result.swizzle = static_cast<uint8_t>(map.getSwizzle());
    result.l2_promotion = 3; // 256 bytes: neighbouring boxes are read soon
    add(record, std::move(result));
    return success();
  }

  static Operation *rootOf(Value view) {
    Operation *root = view.getDefiningOp();
    while (auto viewOp = dyn_cast<ViewOp>(root))
      root = viewOp.getSource().getDefiningOp();
    return root;
  }

  LogicalResult write(GemmOp gemm, fb::EntryT &entry) {
    fb::GemmT record;
    FailureOr<ViewPtr> a = views.view(gemm.getA()), b = views.view(gemm.getB()), c = views.view(gemm.getC());
    auto m = views.expr(gemm, gemm.getMnk().getResult(0));
    if (failed(a) || failed(b) || failed(c) || failed(m))
      return failure();
    record.a = std::move(*a);
    record.b = std::move(*b);
    record.c = std::move(*c);
    record.m = std::move(*m);
    record.n = cast<AffineConstantExpr>(gemm.getMnk().getResult(1)).getValue();
    record.k = cast<AffineConstantExpr>(gemm.getMnk().getResult(2)).getValue();
    record.trans_b = !gemm.getPlain();
    record.beta = gemm.getAccumulate() ? 1 : 0;
    record.lib = "blas";
    // Each matrix moves once; two operations a product. What other kernels touch depends on data (ids, context lengths).
    int64_t n = record.n, k = record.k, element = cast<ViewType>(gemm.getA().getType()).getElementBytes();
    AffineExpr rows = gemm.getMnk().getResult(0);
    auto bytes = views.expr(gemm, rows * ((n + k) * element) + n * k * element), flops = views.expr(gemm, rows * (2 * n * k));
    if (failed(bytes) || failed(flops))
      return failure();
    entry.bytes = std::move(*bytes);
    entry.flops = std::move(*flops);
    entry.op.Set(std::move(record));
    return success();
  }

  /// Bytes of a dense view; an error for one whose rows are apart, which copies and fills do not express.
  FailureOr<std::unique_ptr<fb::ExprT>> denseBytes(Operation *user, Value view) {
    AffineExpr bytes =
        getAffineConstantExpr(cast<ViewType>(view.getType()).getElementBytes(), user->getContext());
    int64_t row = 1;
    ArrayRef<AffineExpr> extents = getViewDims(view).getResults();
    for (auto [number, extent] : llvm::enumerate(extents)) {
      bytes = bytes * extent;
      if (number > 0)
        row *= cast<AffineConstantExpr>(extent).getValue();
    }
    if (extents.size() > 1 && *getRowStride(view) != row)
      return user->emitOpError("touches a view whose rows of ")
             << row << " elements are " << *getRowStride(view) << " apart; copies and fills need dense views";
    return views.expr(user, bytes);
  }

  LogicalResult write(CopyOp copy, fb::EntryT &entry) {
    FailureOr<ViewPtr> source = views.view(copy.getSource()), target = views.view(copy.getTarget());
    auto bytes = denseBytes(copy, copy.getSource()), same = denseBytes(copy, copy.getTarget());
    if (failed(source) || failed(target) || failed(bytes) || failed(same))
      return failure();
    fb::CopyT record;
    record.src = std::move(*source);
    record.dst = std::move(*target);
    record.bytes = std::move(*bytes);
    entry.op.Set(std::move(record));
    return success();
  }

  LogicalResult write(FillOp fill, fb::EntryT &entry) {
    FailureOr<ViewPtr> target = views.view(fill.getTarget());
    auto bytes = denseBytes(fill, fill.getTarget());
    if (failed(target) || failed(bytes))
      return failure();
    fb::FillT record;
    record.dst = std::move(*target);
    record.byte = static_cast<uint8_t>(fill.getByte());
    record.bytes = std::move(*bytes);
    entry.op.Set(std::move(record));
    return success();
  }

  LogicalResult write(FetchOp fetch, fb::EntryT &entry) {
    fb::FetchT record;
    std::optional<uint32_t> weight = views.weight(fetch.getWeight());
    if (!weight)
      return fetch.emitOpError("names a weight that the package does not describe");
    record.weight = *weight;
    const auto &parts = package.weights[*weight]->parts;
    auto part =
        llvm::find_if(parts, [&](const auto &candidate) { return fetch.getPart() == candidate->suffix; });
    if (part == parts.end())
      return fetch.emitOpError("weight @") << fetch.getWeight() << " has no part '" << fetch.getPart() << "'";
    record.part = static_cast<uint32_t>(part - parts.begin());
    if (fetch->getParentOfType<MembersOp>() && !package.weights[*weight]->index.empty())
      record.member = k3::symbolExpr(fb::Sym::Member);
    if (fetch.getSliceDim()) {
      record.slice_dim = static_cast<int32_t>(*fetch.getSliceDim());
      record.slice_lo = constantExpr(fetch.getSliceFrom());
      record.slice_len = constantExpr(fetch.getSliceLength());
    }
    FailureOr<ViewPtr> target = views.view(fetch.getTarget());
    if (failed(target))
      return failure();
    record.dst = std::move(*target);
    entry.op.Set(std::move(record));
    return success();
  }

  LogicalResult write(CollectiveOp collective, fb::EntryT &entry) {
    fb::CollectiveT record;
    record.kind = static_cast<fb::CollectiveKind>(collective.getKind());
    for (auto axis : collective.getAxes().getAsRange<StringAttr>()) {
      size_t index = 0, count = package.mesh ? package.mesh->axes.size() : 0;
      while (index < count && axis.getValue() != package.mesh->axes[index]->name)
        ++index;
      if (index == count)
        return collective.emitOpError("names the mesh axis ") << axis << ", which the package does not have";
      record.axes.push_back(static_cast<uint16_t>(index));
    }
    FailureOr<ViewPtr> source = views.view(collective.getSource()),
                       target = views.view(collective.getTarget());
    if (failed(source) || failed(target))
      return failure();
    record.payload = (*source)->dtype;
    record.src = std::move(*source);
    record.dst = std::move(*target);
    entry.op.Set(std::move(record));
    return success();
  }

  LogicalResult write(MembersOp members, fb::EntryT &entry) {
    auto body = start((op.getName() + ".members." + std::to_string(bodies++)).str(), fb::Kind::Body);
    if (!members.getBody().empty()) {
      Block &block = members.getBody().front();
      EntryOrder order(block);
      for (auto inner : block.getOps<EntryOpInterface>())
        if (failed(writeEntry(inner, order, *body)))
          return failure();
    }
    fb::CallT record;
    record.program = static_cast<uint32_t>(package.programs.size());
    record.loop = constantExpr(members.getCount());
    record.slots = static_cast<uint32_t>(members.getSlots());
    package.programs.push_back(std::move(body));
    entry.op.Set(std::move(record));
    return success();
  }

  /// Index in Package.locs; 0 is "nowhere".
  uint32_t locationIndex(Location loc) {
    FileLineColLoc place;
    loc->walk([&](Location part) {
      place = dyn_cast<FileLineColLoc>(part);
      return place ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (package.locs.empty())
      package.locs.push_back(std::make_unique<fb::LocT>());
    if (!place)
      return 0;
    fb::LocT &last = *package.locs.back();
    if (last.file != place.getFilename().getValue() || last.line != place.getLine() ||
        last.col != place.getColumn()) {
      auto record = std::make_unique<fb::LocT>();
      record->file = place.getFilename().str();
      record->line = place.getLine();
      record->col = place.getColumn();
      package.locs.push_back(std::move(record));
    }
    return static_cast<uint32_t>(package.locs.size() - 1);
  }

  ProgramOp op;
  fb::PackageT &package;
  ViewWriter &views;
  const llvm::StringMap<uint32_t> &kernels;
  uint32_t target = 0;
  unsigned bodies = 0;
};

} // namespace

LogicalResult addPrograms(ModuleOp module, fb::PackageT &package, uint32_t image, const GpuCode *gpu) {
  std::optional<GpuImages> images;
  if (gpu) {
    images.emplace(*gpu, package);
    if (failed(images->addTarget(module)))
      return failure();
  }
  llvm::StringMap<uint32_t> kernels;
  for (auto kernel : module.getOps<KernelOp>()) {
    kernels[kernel.getSymName()] = static_cast<uint32_t>(package.kernels.size());
    auto record = std::make_unique<fb::KernelT>();
    record->symbol = kernel.getSymbol().value_or(kernel.getSymName()).str();
    record->image = image;
    if (kernel.getGpu()) {
      if (!images)
        return kernel.emitOpError("is GPU code, which was not compiled");
      if (failed(images->addKernel(kernel, *record)))
        return failure();
    }
    package.kernels.push_back(std::move(record));
  }
  ViewWriter views(package);
  for (auto program : module.getOps<ProgramOp>())
    if (failed(ProgramWriter(program, package, views, kernels).run()))
      return failure();
  return success();
}

} // namespace k3::exec
