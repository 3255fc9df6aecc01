// A chain as bytes, for other ranks of the same build: the numbers as they are in memory.
#pragma once

#include "giga/base/executor.hpp"
#include "giga/infer/chain.hpp"

namespace giga {

[[nodiscard]] Bytes chain_bytes(const Chain& chain);

/// Throws std::invalid_argument unless the bytes are of a chain, all of them.
[[nodiscard]] Chain chain_of(const Bytes& bytes);

}  // namespace giga
