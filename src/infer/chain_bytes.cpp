// First the numbers of the chain, then draws, what is known of each draw, and the metric, each with its
// length.
#include "infer/chain_bytes.hpp"

#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "base/require.hpp"

namespace giga {
namespace {

class Writer {
 public:
  template <typename Value>
  void operator()(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    const auto bytes = std::as_bytes(std::span(&value, 1));
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  template <typename Value>
  void operator()(const std::vector<Value>& values) {
    (*this)(std::ssize(values));
    const auto bytes = std::as_bytes(std::span(values));
    out.insert(out.end(), bytes.begin(), bytes.end());
  }

  Bytes out;
};

class Reader {
 public:
  explicit Reader(const Bytes& bytes) : left_(bytes) {}

  template <typename Value>
  void operator()(Value& value) {
    std::memcpy(&value, take(sizeof(Value)).data(), sizeof(Value));
  }
  template <typename Value>
  void operator()(std::vector<Value>& values) {
    std::ptrdiff_t count = 0;
    (*this)(count);
    require(count >= 0 && static_cast<std::size_t>(count) <= left_.size() / sizeof(Value),
            "the bytes of a chain end too early");
    const auto bytes = take(static_cast<std::size_t>(count) * sizeof(Value));
    values.resize(static_cast<std::size_t>(count));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  }
  [[nodiscard]] bool at_end() const { return left_.empty(); }

 private:
  std::span<const std::byte> take(std::size_t count) {
    require(count <= left_.size(), "the bytes of a chain end too early");
    const auto taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }

  std::span<const std::byte> left_;
};

// All that a chain has, in one place for both ways.
template <typename ChainType, typename Visit>
void visit_members(ChainType& chain, Visit& visit) {
  visit(chain.dim);
  visit(chain.step_size);
  visit(chain.metric);
  visit(chain.num_gradients);
  visit(chain.num_not_finite);
  visit(chain.attempts);
  visit(chain.e_bfmi);
  visit(chain.stopped);
  visit(chain.draws);
  visit(chain.stats);
  visit(chain.inverse_metric);
}

}  // namespace

Bytes chain_bytes(const Chain& chain) {
  Writer writer;
  visit_members(chain, writer);
  return std::move(writer.out);
}

Chain chain_of(const Bytes& bytes) {
  Chain chain;
  Reader reader(bytes);
  visit_members(chain, reader);
  require(reader.at_end(), "the bytes of a chain go on after its end");
  return chain;
}

}  // namespace giga
