// A 16x8x16 product with the tools of sm_80: cp.async to shared memory, ldmatrix, mma.sync.
llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<1024 x i8>
llvm.func @ampere_mma(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
  %c16 = llvm.mlir.constant(16 : i32) : i32
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %lane = nvvm.read.ptx.sreg.tid.x : i32
  %byte = llvm.mul %lane, %c16 : i32
  %src = llvm.getelementptr %in[%byte] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
  %dst = llvm.getelementptr %tile[%byte] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  nvvm.cp.async.shared.global %dst, %src, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group 0
  nvvm.barrier0
  %m = nvvm.ldmatrix %dst {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  %a0 = llvm.extractvalue %m[0] : !llvm.struct<(i32, i32, i32, i32)>
  %a1 = llvm.extractvalue %m[1] : !llvm.struct<(i32, i32, i32, i32)>
  %a2 = llvm.extractvalue %m[2] : !llvm.struct<(i32, i32, i32, i32)>
  %a3 = llvm.extractvalue %m[3] : !llvm.struct<(i32, i32, i32, i32)>
  %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%a0, %a1] C[%zero, %zero, %zero, %zero] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
  %po = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  llvm.store %d0, %po : f32, !llvm.ptr<1>
  llvm.return
}
