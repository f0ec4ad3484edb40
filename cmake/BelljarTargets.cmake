# The few verbs with which every room declares its targets: one place for flags, output folders and install rules.

add_library(belljar_flags INTERFACE)
target_compile_features(belljar_flags INTERFACE cxx_std_20)
target_include_directories(belljar_flags INTERFACE "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}/generated")
target_compile_definitions(belljar_flags INTERFACE _GNU_SOURCE BELLJAR_VERSION="${PROJECT_VERSION}")
target_compile_options(belljar_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> -Wimplicit-fallthrough
                                               -Wno-missing-field-initializers)
# GCC 12 sees overlaps and overflows in std::string's own copy at -O3 (its bugs 105651, 105329).
target_compile_options(belljar_flags INTERFACE $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-restrict$<SEMICOLON>-Wno-stringop-overflow>)
if(BELLJAR_WERROR)
  target_compile_options(belljar_flags INTERFACE -Werror)
endif()

find_program(BELLJAR_CCACHE ccache)
if(BELLJAR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # What ccache wants to be told before it caches with precompiled headers (ccache(1), PRECOMPILED HEADERS).
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${BELLJAR_CCACHE}")
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()

# belljar_library(NAME SOURCES… LIBS… [PRECOMPILE <header>…]): a static library of one room.
function(belljar_library name)
  cmake_parse_arguments(A "" "" "SOURCES;LIBS;PRECOMPILE" ${ARGN})
  add_library(${name} STATIC ${A_SOURCES})
  target_link_libraries(${name} PUBLIC belljar_flags ${A_LIBS})
  if(A_PRECOMPILE)
    target_precompile_headers(${name} PRIVATE ${A_PRECOMPILE})
  endif()
endfunction()

# belljar_program(NAME [STATIC] [PUBLIC_BIN] SOURCES… LIBS…): a program, in bin/ with PUBLIC_BIN, else in libexec/belljar/.
# STATIC links it fully statically (most of the launch time is saved there), except in sanitizer builds.
function(belljar_program name)
  cmake_parse_arguments(A "STATIC;PUBLIC_BIN" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE belljar_flags ${A_LIBS})
  if(A_STATIC AND NOT BELLJAR_SANITIZE)
    # Never with --no-warnings: it silences undefined references as well, and the program that calls one crashes.
    target_link_options(${name} PRIVATE -static -Wl,--gc-sections -Wl,--fatal-warnings -Wl,--wrap=dlopen)
    target_sources(${name} PRIVATE "${CMAKE_SOURCE_DIR}/core/system/no_loader.c")
  endif()
  if(A_PUBLIC_BIN)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
    install(TARGETS ${name} RUNTIME DESTINATION bin)
  else()
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/${BELLJAR_LIBEXECDIR}")
    install(TARGETS ${name} RUNTIME DESTINATION ${BELLJAR_LIBEXECDIR})
  endif()
endfunction()

# belljar_test(NAME [LABEL unit] SOURCES… LIBS…): one Qt Test program, registered with CTest under a label.
function(belljar_test name)
  cmake_parse_arguments(A "" "LABEL" "SOURCES;LIBS" ${ARGN})
  if(NOT A_LABEL)
    set(A_LABEL unit)
  endif()
  add_executable(${name} ${A_SOURCES})
  set_target_properties(${name} PROPERTIES AUTOMOC ON RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  target_link_libraries(${name} PRIVATE belljar_flags ${A_LIBS} Qt6::Test)
  target_compile_definitions(${name} PRIVATE BELLJAR_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${A_LABEL} TIMEOUT 120)
endfunction()

if(BELLJAR_SANITIZE)
  add_compile_options(-fsanitize=${BELLJAR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${BELLJAR_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options(-fno-sanitize=function) # clang 14 cannot assemble a coroutine with it
  endif()
endif()

# belljar_qml_room(NAME URI SOURCES… LIBS… [USES <URI>…]): a static library of one room of the window, whose QML_ELEMENT types are the
# module URI. Who links it calls qml_register_types_URI() (dots as underscores), or the linker leaves the types out.
function(belljar_qml_room name uri)
  cmake_parse_arguments(A "" "" "SOURCES;LIBS;USES" ${ARGN})
  qt_add_library(${name} STATIC ${A_SOURCES})
  set_target_properties(${name} PROPERTIES AUTOMOC ON)
  string(REPLACE "." "/" path ${uri})
  qt_add_qml_module(${name} URI ${uri} VERSION 1.0 NO_PLUGIN DEPENDENCIES QtQuick ${A_USES} OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/qml/${path}")
  target_include_directories(${name} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}") # where the generated registration finds the headers
  target_link_libraries(${name} PUBLIC belljar_flags ${A_LIBS} Qt6::Quick)
endfunction()
