// The no-U-turn sampler, in the form of Betancourt, "A Conceptual Introduction to Hamiltonian Monte Carlo"
// (2017), appendix A: states along a trajectory are drawn with weights exp(-H), and a trajectory ends
// where it turns by the generalised criterion: with rho the sum of momenta over a segment and v the
// velocities at its ends, <v_left, rho> and <v_right, rho> must both be positive; also across the seam of
// two joined segments, each taken with the nearest state of the other. And Hamiltonian Monte Carlo with a
// fixed number of steps.
//
// Notation: H the Hamiltonian, H_0 its value at the start of the transition, gain = H_0 - H, so that
// exp(gain) is the weight of a state relative to the start.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "infer/faults.hpp"
#include "infer/transition.hpp"

namespace giga {
namespace {

using Doubles = std::vector<double>;

double dot(const Doubles& a, const Doubles& b) {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += a[d] * b[d];
  return sum;
}

// log(e^a + e^b) without overflow.
double log_sum(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == -std::numeric_limits<double>::infinity() ? a : a + std::log1p(std::exp(b - a));
}

// States that follow one another in time, and the one drawn of them.
struct Segment {
  Doubles left_p, left_v, right_p, right_v;  // momentum and velocity of the first and the last state
  Doubles rho;                               // sum of the momenta
  double log_weight = 0;                     // log of the sum of exp(H_0 - H)
  PhasePoint drawn;
};

bool goes_on(const Doubles& left_v, const Doubles& right_v, const Doubles& rho) {
  return dot(left_v, rho) > 0 && dot(right_v, rho) > 0;
}

// Segments are kept between transitions, so that their vectors are not allocated anew.
class Nuts final : public Transition {
 public:
  Nuts(Index dim, Index max_depth) : max_depth_(max_depth), beside_(at(max_depth) + 1) {
    seam_.resize(at(dim));
  }

  DrawStats move(PhasePoint& point, Hamiltonian& hamiltonian, double step, Stream& random) override {
    hamiltonian_ = &hamiltonian;
    random_ = &random;
    step_ = step;
    stats_ = {};
    accepted_ = 0;
    hamiltonian.draw_momentum(point, random);
    energy_ = hamiltonian.energy(point);
    set_single(point, 0, whole_);
    if (fault(Fault::NutsStartUncounted)) whole_.log_weight = -std::numeric_limits<double>::infinity();
    PhasePoint leftmost = point, rightmost = point;
    // Invariant: whole_ has the 2^depth states from leftmost to rightmost, none of its dyadic segments turns,
    // and whole_.drawn is a state of it. Forward and backward are equally likely, so that the trajectory is
    // as probable from each of its states.
    while (stats_.tree_depth < max_depth_) {
      const bool forward = random.uniform() > 0.5 || fault(Fault::NutsForwardOnly);
      Segment& added = beside_.back();
      if (!extend(stats_.tree_depth, forward ? rightmost : leftmost, forward, added)) {
        if (fault(Fault::NutsDrawsBeyondTurn) && random.uniform() < 0.5) whole_.drawn = added.drawn;
        break;
      }
      ++stats_.tree_depth;
      // Biased progressive draws: the new half is taken with probability min(1, W_new / W_old), not its share
      // W_new / (W_new + W_old). That moves further, and leaves the distribution as it is.
      const bool take = std::log(random.uniform()) < added.log_weight - whole_.log_weight;
      if (!join(whole_, added, forward, take)) break;
    }
    point = whole_.drawn;
    stats_.log_density = point.log_density;
    stats_.energy = hamiltonian.energy(point);
    stats_.step_size = step;
    stats_.accept_stat = stats_.num_leapfrog > 0 ? accepted_ / static_cast<double>(stats_.num_leapfrog) : 0;
    return stats_;
  }

 private:
  void set_single(const PhasePoint& state, double log_weight, Segment& out) const {
    out.left_p = out.right_p = out.rho = state.p;
    out.left_v.resize(state.p.size());
    for (std::size_t d = 0; d < state.p.size(); ++d)
      out.left_v[d] = state.p[d] * hamiltonian_->inverse_metric[d];
    out.right_v = out.left_v;
    out.log_weight = log_weight;
    out.drawn = state;
  }

  // 2^depth more states from `edge` on, which moves along. False if the trajectory diverges or turns within
  // them.
  bool extend(Index depth, PhasePoint& edge, bool forward, Segment& out) {
    if (depth == 0) {
      hamiltonian_->leapfrog(edge, forward ? step_ : -step_);
      ++stats_.num_leapfrog;
      const double gain = energy_ - hamiltonian_->energy(edge);
      // What a Metropolis step from the start to this state would be accepted with: its mean over the states
      // is accept_stat, which the step size is adapted by.
      accepted_ += std::min(1.0, std::exp(gain));
      stats_.divergent = stats_.divergent || !(gain > -kDivergence);
      set_single(edge, fault(Fault::NutsUniformDraws) ? 0 : gain, out);
      return !stats_.divergent;
    }
    // Two halves of 2^(depth - 1) states; `edge` has moved to the end of the first before the second begins.
    Segment& second = beside_[at(depth - 1)];
    if (!extend(depth - 1, edge, forward, out) || !extend(depth - 1, edge, forward, second)) return false;
    // Within a subtree every state is drawn by its weight.
    double both = log_sum(out.log_weight, second.log_weight);
    if (fault(Fault::NutsNewerWithin)) both = out.log_weight;
    const bool take = std::log(random_->uniform()) < second.log_weight - both;
    return join(out, second, forward, take) || fault(Fault::NutsIgnoresInnerTurns);
  }

  // Adds `other`, which follows `segment` in time or, if not forward, comes before it. False if the joined
  // segment turns: rho over all of it with its ends, and rho of each half plus the nearest momentum of the
  // other with the ends of that stretch.
  bool join(Segment& segment, Segment& other, bool forward, bool take_other) {
    const Segment& left = forward ? segment : other;
    const Segment& right = forward ? other : segment;
    const auto across = [this](const Doubles& rho, const Doubles& p) -> const Doubles& {
      for (std::size_t d = 0; d < rho.size(); ++d) seam_[d] = rho[d] + p[d];
      return seam_;
    };
    bool goes = goes_on(left.left_v, right.right_v, across(left.rho, right.rho)) &&
                goes_on(left.left_v, right.left_v, across(left.rho, right.left_p)) &&
                goes_on(left.right_v, right.right_v, across(right.rho, left.right_p));
    if (fault(Fault::NutsTurnsAtGrowingEnd))
      goes = dot(forward ? right.right_v : left.left_v, across(left.rho, right.rho)) > 0;
    for (std::size_t d = 0; d < seam_.size(); ++d) segment.rho[d] += other.rho[d];
    if (forward) {
      std::swap(segment.right_p, other.right_p);
      std::swap(segment.right_v, other.right_v);
    } else {
      std::swap(segment.left_p, other.left_p);
      std::swap(segment.left_v, other.left_v);
    }
    segment.log_weight = log_sum(segment.log_weight, other.log_weight);
    if (take_other) std::swap(segment.drawn, other.drawn);
    return goes;
  }

  Index max_depth_;
  std::vector<Segment>
      beside_;  // the second half of each depth; the last is the half that doubles the trajectory
  Segment whole_;
  Doubles seam_;
  Hamiltonian* hamiltonian_ = nullptr;
  Stream* random_ = nullptr;
  double step_ = 0, energy_ = 0, accepted_ = 0;
  DrawStats stats_;
};

class Hmc final : public Transition {
 public:
  explicit Hmc(Index leapfrog_steps) : leapfrog_steps_(leapfrog_steps) {}

  DrawStats move(PhasePoint& point, Hamiltonian& hamiltonian, double step, Stream& random) override {
    hamiltonian.draw_momentum(point, random);
    const double before = hamiltonian.energy(point);
    PhasePoint proposal = point;
    for (Index i = 0; i < leapfrog_steps_; ++i) hamiltonian.leapfrog(proposal, step);
    // Accepted with probability min(1, exp(gain)); the momentum need not be reversed, since it is drawn anew.
    const double gain =
        (before - hamiltonian.energy(proposal)) * (fault(Fault::HmcAcceptanceReversed) ? -1 : 1);
    DrawStats stats;
    stats.accept_stat = std::min(1.0, std::exp(gain));
    stats.divergent = !(gain > -kDivergence);
    const bool accepted =
        random.uniform() < stats.accept_stat || (fault(Fault::HmcAcceptsAll) && !stats.divergent);
    if (!accepted && fault(Fault::HmcKeepsRejectedValue)) point.log_density = proposal.log_density;
    if (accepted) point = std::move(proposal);
    stats.log_density = point.log_density;
    stats.energy = hamiltonian.energy(point);
    stats.step_size = step;
    stats.num_leapfrog = leapfrog_steps_;
    return stats;
  }

 private:
  Index leapfrog_steps_;
};

}  // namespace

std::unique_ptr<Transition> make_nuts(Index dim, Index max_depth) {
  return std::make_unique<Nuts>(dim, max_depth);
}

std::unique_ptr<Transition> make_hmc(Index leapfrog_steps) {
  return std::make_unique<Hmc>(leapfrog_steps);
}

}  // namespace giga
