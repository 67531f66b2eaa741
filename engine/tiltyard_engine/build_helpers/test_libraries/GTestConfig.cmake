include(${CMAKE_CURRENT_LIST_DIR}/CMakeLists.txt)
