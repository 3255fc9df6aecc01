// Weighted moments that can be joined: of a response, or of residuals.
#pragma once

namespace giga {

// Weight, mean and sum of w (x - mean)^2 of some numbers x.
struct Moments {
  double weight = 0, mean = 0, squares = 0;

  // The moments of both sets together (Chan, Golub and LeVeque): with delta the distance of the means,
  // squares = squares_1 + squares_2 + delta^2 w_1 w_2 / (w_1 + w_2).
  void join(const Moments& other) {
    if (weight == 0) {
      *this = other;
      return;
    }
    const double together = weight + other.weight, apart = other.mean - mean;
    mean += apart * (other.weight / together);
    squares += other.squares + apart * apart * (weight * (other.weight / together));
    weight = together;
  }
};

}  // namespace giga
