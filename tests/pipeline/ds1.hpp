// A dataset of the paper, with its problem.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "giga/base/threads.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/pipeline/problem.hpp"
#include "support/shared_data.hpp"

namespace giga::test {

/// Skips its tests where ds1 is not.
class Ds1Problem : public testing::Test {
 protected:
  void SetUp() override {
    GIGA_NEEDS_SHARED("ds1.npz");
    data_.emplace(read_dataset(shared_data("ds1.npz"), {}, executor_));
    problem_.emplace(*data_, ModelOptions{.family = {Family::BernoulliLogit}}, executor_);
  }

  Threads executor_;
  std::optional<Dataset> data_;
  std::optional<Problem> problem_;
};

}  // namespace giga::test
