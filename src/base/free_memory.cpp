// glibc gives back by itself only what lies at the end of the heap; malloc_trim finds whole pages anywhere.
// Other libraries have no such call.
#include "base/free_memory.hpp"

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace giga {

void return_free_memory() {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

}  // namespace giga
