// CMake needs a source to compile a precompiled header with.
