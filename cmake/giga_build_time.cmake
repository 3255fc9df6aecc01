# What makes a build from nothing quicker.

# Headers that many files include, compiled once a kind of target. It hides a missing #include, and ccache cannot
# follow it without settings of its own: scripts/test and scripts/quickstart turn it on, the presets do not.
option(GIGA_PRECOMPILE_HEADERS "Precompile common headers: quicker from nothing, no help with ccache" OFF)

# Sources of one target, several at a time: what their headers and templates make is compiled once for all of them.
# A change of one compiles its neighbours too, and a missing #include may be hidden: the scripts turn it on, the presets
# do not.
option(GIGA_UNITE_SOURCES "Compile several sources at a time: half the time from nothing, more after a change" OFF)

set(giga_standard_headers
  <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <limits> <memory> <optional> <span> <sstream>
  <stdexcept> <string> <string_view> <utility> <vector>)

# giga_precompile(target header...): the standard headers, and these.
function(giga_precompile target)
  if(GIGA_PRECOMPILE_HEADERS)
    target_precompile_headers(${target} PRIVATE ${giga_standard_headers} ${ARGN})
  endif()
endfunction()

# giga_precompile_as(target other): those of another target, which must have the same flags.
function(giga_precompile_as target other)
  if(GIGA_PRECOMPILE_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()

# giga_unite(target): no two of its sources may give one name two meanings, not even in unnamed namespaces. A local name
# that hides one of another file is no mistake, nor is a type of an unnamed namespace inside one that only its file has.
function(giga_unite target)
  if(GIGA_UNITE_SOURCES)
    set(diagnostics "")
    foreach(warning shadow subobject-linkage)
      string(APPEND diagnostics "#pragma GCC diagnostic ignored \"-W${warning}\"\n")
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6
      UNITY_BUILD_CODE_BEFORE_INCLUDE "${diagnostics}")
  endif()
endfunction()

# giga_optimise_little(target flag): for code that computes nothing, -O0 or -O1 in a release. JSON and gtest take twice
# the time to compile at -O3.
function(giga_optimise_little target flag)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${flag}>)
endfunction()
