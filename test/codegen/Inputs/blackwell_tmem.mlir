// Tensor memory of sm_100a and sm_103a: allocate, store, load, free.
llvm.mlir.global internal @slot() {addr_space = 3 : i32, alignment = 16 : i64} : i32
llvm.func @blackwell_tmem(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  %slot = llvm.mlir.addressof @slot : !llvm.ptr<3>
  %columns = llvm.mlir.constant(32 : i32) : i32
  nvvm.tcgen05.alloc %slot, %columns : !llvm.ptr<3>, i32
  nvvm.barrier0
  %address = llvm.load %slot : !llvm.ptr<3> -> i32
  %tmem = llvm.inttoptr %address : i32 to !llvm.ptr<6>
  %x = llvm.load %in : !llvm.ptr<1> -> vector<2xi32>
  nvvm.tcgen05.st %tmem, %x {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<2xi32>
  nvvm.tcgen05.wait #nvvm.tcgen05_wait<store>
  %y = nvvm.tcgen05.ld %tmem {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<2xi32>
  nvvm.tcgen05.wait #nvvm.tcgen05_wait<load>
  llvm.store %y, %out : vector<2xi32>, !llvm.ptr<1>
  nvvm.tcgen05.dealloc %tmem, %columns : !llvm.ptr<6>, i32
  llvm.return
}
