#!/usr/bin/python3
"""Writes the vectors that a logistic regression is projected to, for benchmarks of construction alone.

    /usr/bin/python3 benchmarks/peers/regression_vectors.py DATA.csv V.npy --projection-dim 500

Row n has J random coordinates of the gradient of its log-likelihood at draws from the Laplace approximation, in
the whitened norm: `giga build` works on such vectors but does not write them. With C C' the covariance of that
approximation and theta = C phi, the whitened gradient is that in phi, whose data are C'w_n.
"""
import argparse

import numpy as np
from pipeline_numpy import Features, laplace, load


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="CSV with a header; the response is the last column")
    parser.add_argument("vectors", help=".npy to write")
    parser.add_argument("--projection-dim", type=int, default=500, help="J")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    np.seterr(over="ignore")  # exp: the slope is 0 then, as it should be

    columns, counts = load(options.data)
    mean, factor = laplace(columns, counts)
    pihat = np.linalg.solve(factor, mean), np.eye(len(mean))
    features = Features(factor.T @ columns, counts, pihat, options.projection_dim,
                        np.random.default_rng(options.seed))
    np.save(options.vectors, features.read(np.arange(columns.shape[1])))


if __name__ == "__main__":
    main()
