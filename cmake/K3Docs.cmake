# Reference pages under docs/ of the build folder, made from what the tools are made from: ops and passes from TableGen,
# flags and phases from --help.
set(docs "${CMAKE_BINARY_DIR}/docs")
set(pages)

function(k3_tablegen_page output td)
  file(GLOB definitions "${CMAKE_SOURCE_DIR}/dialects/*/*.td")
  add_custom_command(OUTPUT "${docs}/${output}" COMMAND ${CMAKE_COMMAND} -E make_directory "${docs}"
                     COMMAND "${MLIR_TABLEGEN_EXE}" ${ARGN} -I "${CMAKE_SOURCE_DIR}" -I "${MLIR_INCLUDE_DIRS}"
                             "${CMAKE_SOURCE_DIR}/${td}" -o "${docs}/${output}"
                     DEPENDS "${CMAKE_SOURCE_DIR}/${td}" ${definitions} VERBATIM)
  set(pages ${pages} "${docs}/${output}" PARENT_SCOPE)
endfunction()

k3_tablegen_page(dialect-k3.md dialects/K3/K3Ops.td -gen-dialect-doc -dialect=k3)
k3_tablegen_page(dialect-exec.md dialects/Exec/ExecOps.td -gen-dialect-doc -dialect=exec)
k3_tablegen_page(dialect-tile.md dialects/Tile/TileOps.td -gen-dialect-doc -dialect=tile)
foreach(stage Graph Host Exec Kernels Tile Lower)
  string(TOLOWER ${stage} name)
  k3_tablegen_page(passes-${name}.md passes/${stage}/Passes.td -gen-pass-doc)
endforeach()
foreach(tool k3-compile k3-run k3-dump k3-emulate k3-bench)
  add_custom_command(OUTPUT "${docs}/${tool}.txt" COMMAND ${CMAKE_COMMAND} -E make_directory "${docs}"
                     COMMAND $<TARGET_FILE:${tool}> --help > "${docs}/${tool}.txt" DEPENDS ${tool} VERBATIM)
  list(APPEND pages "${docs}/${tool}.txt")
endforeach()
add_custom_target(k3-docs ALL DEPENDS ${pages})
