# The flags every target of the project is compiled with.
#
# -ffp-contract=off: a fused multiply-add rounds once where a product and a sum round twice, so letting the
# compiler choose would make the bits of a score depend on the instruction set it was compiled for.
add_library(giga_flags INTERFACE)
target_compile_features(giga_flags INTERFACE cxx_std_20)
target_compile_options(giga_flags INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wpedantic -ffp-contract=off
  $<$<BOOL:${GIGA_WERROR}>:-Werror>)
if(GIGA_SANITIZE)
  target_compile_options(giga_flags INTERFACE -fsanitize=${GIGA_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(giga_flags INTERFACE -fsanitize=${GIGA_SANITIZE})
  if(GIGA_SANITIZE MATCHES "undefined")
    target_compile_options(giga_flags INTERFACE -fno-sanitize-recover=undefined)
  endif()
endif()
