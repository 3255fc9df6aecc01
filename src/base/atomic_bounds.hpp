// The least and the greatest of what several threads find.
#pragma once

#include <atomic>
#include <type_traits>

namespace giga {

/// bound = min(bound, value).
template <typename Number>
void lower_to(std::atomic<Number>& bound, std::type_identity_t<Number> value) noexcept {
  Number now = bound.load();
  while (value < now && !bound.compare_exchange_weak(now, value)) {
  }
}

/// bound = max(bound, value).
template <typename Number>
void raise_to(std::atomic<Number>& bound, std::type_identity_t<Number> value) noexcept {
  Number now = bound.load();
  while (now < value && !bound.compare_exchange_weak(now, value)) {
  }
}

}  // namespace giga
