// Memory that was freed, given back to the system.
#pragma once

namespace giga {

/// The allocator keeps what is freed for what comes next, and finds no use for much of it where stages take
/// blocks of other sizes. To be called between stages: it takes milliseconds, and changes no result.
void return_free_memory();

}  // namespace giga
