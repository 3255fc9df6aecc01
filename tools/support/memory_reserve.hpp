// Memory for the moment when there is none left. Some destructors allocate (those of JSON values do), and an
// exception out of them ends the program without a word.
#pragma once

namespace giga::tool {

/// Call once, at the beginning of a program. The first allocation by `new` that fails is given memory that
/// was kept back, and the program goes on; when that is used up as well, std::bad_alloc is thrown, and more
/// that was kept back is there for what is destroyed on its way.
void keep_memory_back();

}  // namespace giga::tool
