// A product of fp8 tiles with ue8m0 block scales: mma.sync of sm_120a.
llvm.func @mx_mma(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  %a = llvm.load %in : !llvm.ptr<1> -> i32
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %id = llvm.mlir.constant(0 : i16) : i16
  %scale = llvm.mlir.constant(127 : i32) : i32
  %d = nvvm.mma.block_scale A[%a, %a, %a, %a] B[%a, %a] C[%zero, %zero, %zero, %zero] scaleA[%scale, %id, %id] scaleB[%scale, %id, %id] {shape = #nvvm.shape<m = 16, n = 8, k = 32>, multiplicandAPtxType = #nvvm.mma_type<e4m3>, multiplicandBPtxType = #nvvm.mma_type<e4m3>, scaleVecSize = #nvvm.scale_vec_size<x1>, blockScaleFormat = #nvvm.block_scale_format<ue8m0>, kind = #nvvm.block_scale_kind<mxf8f6f4>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
  llvm.store %d0, %out : f32, !llvm.ptr<1>
  llvm.return
}
