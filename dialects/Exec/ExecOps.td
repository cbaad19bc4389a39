//===- ExecOps.td - Programs, memory, entries of the exec dialect -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_EXEC_OPS
#define K3_EXEC_OPS

include "dialects/Exec/ExecBase.td"

//===----------------------------------------------------------------------===//
// Programs and kernels
//===----------------------------------------------------------------------===//

def ProgramOp : Exec_Op<"program", [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock]> {
  let summary = "what a runtime does for one step, for packing, for a copy of state, for sampling";
  let description = [{
    `bucket` gives the closed range of every symbol that the program uses; the arena is laid out at the upper end.

    ```mlir
    exec.program @step.decode step variant decode on "host" bucket {S = [0, 8], T = [0, 8]} streams 2 {
      %tokens = exec.io "tokens" dims [T] padding -1 : i32
      ...
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Exec_KindAttr:$kind,
                   DefaultValuedAttr<Exec_VariantAttr, "::k3::exec::ProgramVariant::Any">:$variant, StrAttr:$target,
                   DefaultValuedAttr<DictionaryAttr, "{}">:$bucket, DefaultValuedAttr<I64Attr, "1">:$streams);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = [{
    $sym_name `` $kind (`variant` $variant^)? `on` $target (`bucket` $bucket^)? (`streams` $streams^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::k3::exec::ProgramKind":$kind,
                             "::k3::exec::ProgramVariant":$variant, "::llvm::StringRef":$target,
                             CArg<"::mlir::DictionaryAttr", "{}">:$bucket, CArg<"int64_t", "1">:$streams)>];
  let extraClassDeclaration = [{
    /// The closed range of a symbol ("T"), or nothing where the bucket does not name it.
    std::optional<std::pair<int64_t, int64_t>> getLimit(::k3::exec::LaunchSymbol symbol);
    /// Entries in order, those of `exec.members` not included.
    ::llvm::SmallVector<::k3::exec::EntryOpInterface> getEntries();
  }];
}

def KernelOp : Exec_Op<"kernel", [Symbol]> {
  let summary = "a function of the target's code that launches name";
  let description = [{
    `params` has a letter per buffer of the function: r reads, w writes, b both. `symbol` is its name in the object file
    where that is not the name of the op. `gpu` names the kernel of GPU code, which lies in an image of its own; only
    `exec.gpu_launch` runs those, and only `exec.launch` the others.

    ```mlir
    exec.kernel @rms_norm_192 "rrw" symbol "k3.rms_norm_192"
    exec.kernel @gemm_128x256 "rrw" gpu "gemm_bf16_128x256"
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$params, OptionalAttr<StrAttr>:$symbol,
                   OptionalAttr<StrAttr>:$gpu);
  let assemblyFormat = "$sym_name $params (`symbol` $symbol^)? (`gpu` $gpu^)? attr-dict";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::StringAttr":$name, "::mlir::StringAttr":$params, "::mlir::StringAttr":$symbol), [{
    build($_builder, $_state, name, params, symbol, StringAttr());
  }]>];
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def BufferOp : Exec_Op<"buffer", [HasParent<"ProgramOp">]> {
  let summary = "memory of a space; one buffer per space and name in a package";
  let description = [{
    ```mlir
    %stage = exec.buffer staging "stage" bytes [443136]
    ```
  }];
  let arguments = (ins Exec_SpaceAttr:$space, StrAttr:$name, Exec_Map:$bytes);
  let results = (outs Exec_Buffer:$buffer);
  let assemblyFormat = "`` $space $name `bytes` custom<SymbolMap>($bytes) attr-dict";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::k3::exec::Space":$space, "::llvm::StringRef":$name, "::mlir::AffineMap":$bytes), [{
    build($_builder, $_state, BufferType::get($_builder.getContext()), space, name, bytes);
  }]>];
}

def IoOp : Exec_Op<"io", [HasParent<"ProgramOp">]> {
  let summary = "an argument or result of the program, in memory of its own";
  let description = [{
    ```mlir
    %tokens = exec.io "tokens" dims [T] padding 0 : i32
    %logits = exec.io "logits" output dims [R, 256] : f32
    ```
  }];
  let arguments = (ins StrAttr:$name, UnitAttr:$output, Exec_Map:$dims, OptionalAttr<I64Attr>:$padding);
  let results = (outs Exec_View:$view);
  let assemblyFormat = [{
    $name (`output` $output^)? `dims` custom<SymbolMap>($dims) (`padding` $padding^)? attr-dict `:`
    custom<ViewElement>(type($view))
  }];
  let hasVerifier = 1;
}

def PackedOp : Exec_Op<"packed", [Pure, Exec_SymbolUser]> {
  let summary = "a packed weight; of a family the member `member`, or all of it";
  let description = [{
    Names a `k3.packed` symbol; ExecToPackage decides where it lies. Without `member`, a family is its members one
    after another.

    ```mlir
    %w = exec.packed @layers.0.in_proj dims [1168, 192] : f32
    %m = exec.packed @layers.1.w13 member [member] dims [8704] : i8
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol, OptionalAttr<Exec_Map>:$member, Exec_Map:$dims);
  let results = (outs Exec_View:$view);
  let assemblyFormat = [{
    $symbol (`member` custom<OptionalSymbolMap>($member)^)? `dims` custom<SymbolMap>($dims) attr-dict `:`
    custom<ViewElement>(type($view))
  }];
  let builders = [OpBuilder<(ins "::llvm::StringRef":$symbol, "::mlir::AffineMap":$dims, "::mlir::Type":$element), [{
    build($_builder, $_state, ViewType::get($_builder.getContext(), element), symbol, AffineMapAttr(), dims);
  }]>];
  let hasVerifier = 1;
}

def StateOp : Exec_Op<"state", [Pure, Exec_SymbolUser]> {
  let summary = "the memory behind a `k3.state`: dimension 0 counts slots, or rows of pages";
  let description = [{
    The runtime decides how many slots and pages exist, so the extent of dimension 0 is written as 1.

    ```mlir
    %s = exec.state @layers.0.s dims [1, 2, 128, 128] : f32
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol, Exec_Map:$dims);
  let results = (outs Exec_View:$view);
  let assemblyFormat = "$symbol `dims` custom<SymbolMap>($dims) attr-dict `:` custom<ViewElement>(type($view))";
  let builders = [OpBuilder<(ins "::llvm::StringRef":$symbol, "::mlir::AffineMap":$dims, "::mlir::Type":$element), [{
    build($_builder, $_state, ViewType::get($_builder.getContext(), element), symbol, dims);
  }]>];
  let hasVerifier = 1;
}

def TensorOp : Exec_Op<"tensor", [MemoryEffects<[MemAlloc]>]> {
  let summary = "an intermediate value without a place yet; k3-exec-assign-arena gives it one";
  let description = [{
    ```mlir
    %x = exec.tensor "layer.0.attn_in" dims [T, 192] : f32
    ```
  }];
  let arguments = (ins StrAttr:$name, Exec_Map:$dims);
  let results = (outs Exec_View:$view);
  let assemblyFormat = "$name `dims` custom<SymbolMap>($dims) attr-dict `:` custom<ViewElement>(type($view))";
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::AffineMap":$dims, "::mlir::Type":$element), [{
    build($_builder, $_state, ViewType::get($_builder.getContext(), element), name, dims);
  }]>];
  let hasVerifier = 1;
}

def ViewOp : Exec_Op<"view", [Pure]> {
  let summary = "a part of a buffer or a view, or the same memory with other extents";
  let description = [{
    Begins `at` elements (of the result) behind the beginning of the source. Rows are `row_stride` elements apart, by
    default dense.

    ```mlir
    %fa = exec.view %a at [1024] dims [T, 128] row_stride 1168 : !exec.view<f32> -> f32
    ```
  }];
  let arguments = (ins Exec_ViewOrBuffer:$source, Exec_Map:$offset, Exec_Map:$dims, OptionalAttr<I64Attr>:$row_stride);
  let results = (outs Exec_View:$view);
  let assemblyFormat = [{
    $source `at` custom<SymbolMap>($offset) `dims` custom<SymbolMap>($dims) (`row_stride` $row_stride^)? attr-dict `:`
    type($source) `->` custom<ViewElement>(type($view))
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::AffineMap":$offset, "::mlir::AffineMap":$dims,
                             "::mlir::Type":$element, CArg<"std::optional<int64_t>", "std::nullopt">:$rowStride), [{
    build($_builder, $_state, ViewType::get($_builder.getContext(), element), source, offset, dims,
          rowStride ? $_builder.getI64IntegerAttr(*rowStride) : IntegerAttr());
  }]>];
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

def LaunchOp : Exec_Entry<"launch", [AttrSizedOperandSegments, Exec_SymbolUser]> {
  let summary = "runs a kernel over [0, units)";
  let description = [{
    `access` has a letter per view: r reads, w writes every element, b both (or writes a part). `grain` units are one
    work item; `scratch` bytes are private to each thread. Zero units: nothing happens.

    ```mlir
    %e = exec.launch @rms_norm_192(%x, %w, %y) "rrw" units [T] grain 8 stream 0 after(%d)
           : !exec.view<f32>, !exec.view<f32>, !exec.view<f32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Exec_View>:$views, StrAttr:$access, Exec_Map:$units,
                   DefaultValuedAttr<I64Attr, "1">:$grain, DefaultValuedAttr<I64Attr, "0">:$scratch,
                   DefaultValuedAttr<I64Attr, "0">:$stream, Variadic<Exec_Event>:$after);
  let results = (outs Exec_Event:$event);
  let assemblyFormat = [{
    $kernel `(` $views `)` $access `units` custom<SymbolMap>($units) (`grain` $grain^)?
    (`scratch` $scratch^)? (`stream` $stream^)? (`after` `(` $after^ `)`)? attr-dict `:` type($views)
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$kernel, "::mlir::ValueRange":$views, "::llvm::StringRef":$access,
                             "::mlir::AffineMap":$units, CArg<"int64_t", "1">:$grain, CArg<"int64_t", "0">:$scratch,
                             CArg<"int64_t", "0">:$stream), [{
    build($_builder, $_state, EventType::get($_builder.getContext()), kernel, views, access, units, grain, scratch,
          stream, ValueRange());
  }]>];
}

def GpuLaunchOp : Exec_Entry<"gpu_launch", [AttrSizedOperandSegments, Exec_SymbolUser]> {
  let summary = "runs a GPU kernel on a grid of thread blocks";
  let description = [{
    `access` has a letter per view: r reads, w writes every element, b both (or writes a part). `args` are the kernel's
    parameters in order, over the views by number:

    - `constant 0`, `step_in 0`, `step_out 0`: the address of view 0, and when it may be touched: a constant before the
      launch ahead on the stream has ended, the others after;
    - `map 0 box [128, 64] swizzle 128`: a tensor map over view 0;
    - `i32 [T]`, `i64 [4 * T]`: an expression by value; `f32 1.0`: a number.

    The grid is x * y * z blocks; with `max_ctas` it is one-dimensional, of min(x * y * z, max_ctas) blocks, rounded down
    to whole clusters: a persistent kernel. A grid without blocks: nothing happens. `block` are its threads, `smem` its
    bytes of dynamic shared memory. `pdl`: may start before the launch ahead has ended. `resident`: so many blocks (or
    the grid, where that is smaller) wait for each other, so a device that cannot hold them refuses the launch.

    ```mlir
    %e = exec.gpu_launch @gemm(%x, %w, %y) "rrw"
           args [map 0 box [128, 64] swizzle 128, map 1 box [256, 64] swizzle 128, step_out 2, i32 [T]]
           grid [T ceildiv 128, 28] max_ctas [SM] block 384 cluster [2, 1, 1] smem 231424 pdl
           : !exec.view<bf16>, !exec.view<bf16>, !exec.view<bf16>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Exec_View>:$views, StrAttr:$access, ArrayAttr:$args,
                   Exec_Map:$grid, OptionalAttr<Exec_Map>:$max_ctas, I64Attr:$block,
                   OptionalAttr<DenseI64ArrayAttr>:$cluster, DefaultValuedAttr<I64Attr, "0">:$smem, UnitAttr:$pdl,
                   OptionalAttr<Exec_Map>:$resident, DefaultValuedAttr<I64Attr, "0">:$stream,
                   Variadic<Exec_Event>:$after);
  let results = (outs Exec_Event:$event);
  let assemblyFormat = [{
    $kernel `(` $views `)` $access `args` custom<KernelArgs>($args) `grid` custom<SymbolMap>($grid)
    (`max_ctas` custom<OptionalSymbolMap>($max_ctas)^)? `block` $block (`cluster` $cluster^)? (`smem` $smem^)?
    (`pdl` $pdl^)? (`resident` custom<OptionalSymbolMap>($resident)^)? (`stream` $stream^)?
    (`after` `(` $after^ `)`)? attr-dict `:` type($views)
  }];
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$kernel, "::mlir::ValueRange":$views, "::llvm::StringRef":$access,
                             "::llvm::ArrayRef<::mlir::Attribute>":$args, "const ::k3::exec::GpuGrid &":$grid,
                             CArg<"int64_t", "0">:$stream)>];
  let extraClassDeclaration = [{
    /// Blocks of a cluster in x, y and z; 1 without clusters.
    std::array<int64_t, 3> getClusterDims();
  }];
}

def GemmOp : Exec_Entry<"gemm"> {
  let summary = "c[m, n] = a[m, k] b[n, k]^T; with `accumulate`, added to c";
  let description = [{
    All three are views of rank 2; m follows from the shape signature of the step alone. With `plain`, b is [k, n].

    ```mlir
    %e = exec.gemm %x, %w -> %y mnk [T, 1168, 192] : f32
    ```
  }];
  let arguments = (ins Exec_View:$a, Exec_View:$b, Exec_View:$c, Exec_Map:$mnk, UnitAttr:$plain, UnitAttr:$accumulate,
                   DefaultValuedAttr<I64Attr, "0">:$stream, Variadic<Exec_Event>:$after);
  let results = (outs Exec_Event:$event);
  let assemblyFormat = [{
    $a `,` $b `->` $c `mnk` custom<SymbolMap>($mnk) (`plain` $plain^)? (`accumulate` $accumulate^)? (`stream` $stream^)?
    (`after` `(` $after^ `)`)? attr-dict `:` type($a) `,` type($b) `->` type($c)
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b, "::mlir::Value":$c, "::mlir::AffineMap":$mnk,
                             CArg<"int64_t", "0">:$stream), [{
    build($_builder, $_state, EventType::get($_builder.getContext()), a, b, c, mnk, /*plain=*/false,
          /*accumulate=*/false, stream, ValueRange());
  }]>];
}

def CopyOp : Exec_Entry<"copy"> {
  let summary = "the elements of one view into another of the same extents";
  let arguments = (ins Exec_View:$source, Exec_View:$target, DefaultValuedAttr<I64Attr, "0">:$stream,
                   Variadic<Exec_Event>:$after);
  let results = (outs Exec_Event:$event);
  let assemblyFormat = [{
    $source `->` $target (`stream` $stream^)? (`after` `(` $after^ `)`)? attr-dict `:` type($source) `->` type($target)
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$target, CArg<"int64_t", "0">:$stream), [{
    build($_builder, $_state, EventType::get($_builder.getContext()), source, target, stream, ValueRange());
  }]>];
}

def FillOp : Exec_Entry<"fill"> {
  let summary = "every byte of a dense view becomes `byte`";
  let arguments = (ins Exec_View:$target, I64Attr:$byte, DefaultValuedAttr<I64Attr, "0">:$stream, Variadic<Exec_Event>:$after);
  let results = (outs Exec_Event:$event);
  let assemblyFormat = "$target `with` $byte (`stream` $stream^)? (`after` `(` $after^ `)`)? attr-dict `:` type($target)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$target, "int64_t":$byte, CArg<"int64_t", "0">:$stream), [{
    build($_builder, $_state, EventType::get($_builder.getContext()), target, byte, stream, ValueRange());
  }]>];
}

def FetchOp : Exec_Entry<"fetch", [Exec_SymbolUser]> {
  let summary = "a part of a checkpoint weight into memory, in @pack only";
  let description = [{
    `part` is the suffix of the tensor in the checkpoint ("" or ".weight_packed", ".weight_scale"). Inside
    `exec.members` it fetches the current member of a family. `slice` takes `length` entries of dimension `slice` from
    `from` on.

    ```mlir
    %e = exec.fetch @layers.0.q "" -> %q stream 0 : !exec.view<bf16>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$weight, StrAttr:$part, Exec_View:$target, OptionalAttr<I64Attr>:$slice_dim,
                   DefaultValuedAttr<I64Attr, "0">:$slice_from, DefaultValuedAttr<I64Attr, "0">:$slice_length,
                   DefaultValuedAttr<I64Attr, "0">:$stream, Variadic<Exec_Event>:$after);
  let results = (outs Exec_Event:$event);
  let assemblyFormat = [{
    $weight $part (`slice` $slice_dim^ `from` $slice_from `length` $slice_length)? `->` $target (`stream` $stream^)?
    (`after` `(` $after^ `)`)? attr-dict `:` type($target)
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$weight, "::llvm::StringRef":$part, "::mlir::Value":$target,
                             CArg<"int64_t", "0">:$stream), [{
    build($_builder, $_state, EventType::get($_builder.getContext()), weight, part, target, IntegerAttr(),
          /*slice_from=*/0, /*slice_length=*/0, stream, ValueRange());
  }]>];
}

def MembersOp : Exec_Entry<"members", [NoTerminator, SingleBlock]> {
  let summary = "its entries for member = 0 .. count-1; up to `slots` members are in flight, slot = member mod slots";
  let description = [{
    The region may use buffers and views from outside and the symbols member and slot. A member starts when the one
    `slots` before it has ended. In a package it is a call of a body program.

    ```mlir
    %e = exec.members 16 slots 2 { %g = exec.fetch @layers.1.w1 ".weight_packed" -> %w : !exec.view<i8> ... }
    ```
  }];
  let arguments = (ins I64Attr:$count, DefaultValuedAttr<I64Attr, "1">:$slots, DefaultValuedAttr<I64Attr, "0">:$stream,
                   Variadic<Exec_Event>:$after);
  let regions = (region AnyRegion:$body);
  let results = (outs Exec_Event:$event);
  let assemblyFormat = [{
    $count (`slots` $slots^)? (`stream` $stream^)? (`after` `(` $after^ `)`)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "int64_t":$count, CArg<"int64_t", "1">:$slots, CArg<"int64_t", "0">:$stream)>];
}

def CollectiveOp : Exec_Entry<"collective"> {
  let summary = "an exchange among the ranks along mesh axes";
  let description = [{
    ```mlir
    %e = exec.collective all_reduce over ["tp"] %x -> %y : !exec.view<f32> -> !exec.view<f32>
    ```
  }];
  let arguments = (ins Exec_CollectiveKindAttr:$kind, StrArrayAttr:$axes, Exec_View:$source, Exec_View:$target,
                   DefaultValuedAttr<I64Attr, "0">:$stream, Variadic<Exec_Event>:$after);
  let results = (outs Exec_Event:$event);
  let assemblyFormat = [{
    `` $kind `over` $axes $source `->` $target (`stream` $stream^)? (`after` `(` $after^ `)`)? attr-dict `:`
    type($source) `->` type($target)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Taps
//===----------------------------------------------------------------------===//

def TapOp : Exec_Op<"tap", [HasParent<"ProgramOp">, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a named point where a tensor can be read, or with `writable` replaced";
  let description = [{
    The view holds the tensor when the entries before the op have ended and those behind it have not begun.

    ```mlir
    exec.tap "layer.0.attn_in" %x writable dims [T, 192] : !exec.view<f32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Exec_View:$view, UnitAttr:$writable, OptionalAttr<Exec_Map>:$dims);
  let assemblyFormat = [{
    $name $view (`writable` $writable^)? (`dims` custom<OptionalSymbolMap>($dims)^)? attr-dict `:` type($view)
  }];
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::Value":$view, "bool":$writable), [{
    build($_builder, $_state, name, view, writable, AffineMapAttr());
  }]>];
}

def TapStateOp : Exec_Op<"tap_state", [HasParent<"ProgramOp">, Exec_SymbolUser]> {
  let summary = "a state under a name, read after the step; of a conv window a range of channels";
  let description = [{
    ```mlir
    exec.tap_state "layer.0.conv_state.q" @layers.0.conv columns 0 count 256
    ```
  }];
  let arguments = (ins StrAttr:$name, FlatSymbolRefAttr:$symbol, OptionalAttr<I64Attr>:$first_column,
                   DefaultValuedAttr<I64Attr, "0">:$columns);
  let assemblyFormat = "$name $symbol (`columns` $first_column^ `count` $columns)? attr-dict";
}

#endif // K3_EXEC_OPS
