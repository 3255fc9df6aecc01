// What runs side by side, chains or blocks of rows; and how long each chain took. The draws are the same
// either way: a chain has its own stream, and sums over blocks have one order.
#include "giga/pipeline/sample_posterior.hpp"

#include <algorithm>
#include <cstring>

#include "giga/base/stopwatch.hpp"
#include "giga/base/threads.hpp"
#include "giga/infer/posterior.hpp"

namespace giga {
namespace {

// The threads of all ranks.
bool share_rows(Index chains, Index num_rows, Index threads) {
  // Rows are shared only if chains leave threads idle and every thread gets two blocks or more: a gradient
  // must outlast the handing out of its blocks.
  constexpr Index kBlocksPerThread = 2;
  return chains < threads && num_blocks(num_rows) >= kBlocksPerThread * threads;
}

// When a chain made its first transition and its last; each is written by its chain alone.
struct Span {
  double first_s = 0, last_s = 0;
};

// Each chain's span from the rank that made the chain.
std::vector<Span> spans_of_all(const std::vector<Span>& spans, const Executor& executor) {
  if (executor.num_ranks() == 1) return spans;
  const std::vector<Bytes> sent = executor.spread(std::ssize(spans), [&](Index c) {
    const auto bytes = std::as_bytes(std::span(&spans[at(c)], 1));
    return Bytes(bytes.begin(), bytes.end());
  });
  std::vector<Span> all(spans.size());
  for (std::size_t c = 0; c < all.size(); ++c) std::memcpy(&all[c], sent[c].data(), sizeof(Span));
  return all;
}

}  // namespace

bool PosteriorSample::stopped() const {
  return std::ranges::any_of(chains, [](const Chain& chain) { return chain.stopped; });
}

PosteriorSample sample_posterior(const Likelihood& likelihood, const Prior& prior, const Normal& about,
                                 Index chains, const SampleOptions& options, const Executor& executor,
                                 const Observer& observer) {
  const Stopwatch clock;
  const bool rows =
      share_rows(chains, likelihood.num_rows(), Index{executor.num_ranks()} * executor.num_threads());
  const Posterior posterior(likelihood, prior, rows ? &executor : nullptr);
  std::vector<Span> spans(static_cast<std::size_t>(chains));
  // A chain that is run again (a random walk) keeps the time of its first transition.
  const Observer timed = [&](const StageProgress& at) {
    Span& span = spans[static_cast<std::size_t>(at.chain)];
    span.last_s = clock.seconds();
    if (at.done == 1 && span.first_s == 0) span.first_s = span.last_s;
    return observer ? observer(at) : Answer::Continue;
  };
  // An executor must not be used by the chains and by the gradients they ask for at the same time.
  const Serial one_by_one;
  PosteriorSample out;
  const Executor& by_chain = rows ? static_cast<const Executor&>(one_by_one) : executor;
  out.chains = prior.groups().empty()
                   ? sample_about(posterior, about, chains, options, by_chain, timed)
                   : sample_groups(posterior, prior.groups(), about, chains, options, by_chain, timed);
  if (!out.stopped()) spans = spans_of_all(spans, by_chain);
  for (const Span& span : spans) out.chain_seconds.push_back(span.last_s - span.first_s);
  out.seconds = clock.seconds();
  return out;
}

}  // namespace giga
