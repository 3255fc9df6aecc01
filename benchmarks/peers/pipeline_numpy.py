#!/usr/bin/python3
"""The whole job in lean NumPy, SciPy and pandas: the peer that `giga build DATA.csv` is measured against.

    /usr/bin/python3 benchmarks/peers/pipeline_numpy.py DATA.csv --size 100 --projection-dim 500

The same job as `giga build DATA.csv --family bernoulli --projection random`: read (the response is the last
column, its labels -1 and 1 or 0 and 1), merge equal rows, standardise, Laplace approximation, Fisher features,
corrective GIGA, held-out error. The random numbers differ, so do the chosen rows; the errors are alike.

Lean means: float64 throughout; w_n = t_n z_n for label t_n and features z_n, so that a slope is w_nd / (1 +
exp(w_n.theta)); features are made in blocks that stay in the cache, in place, on all cores, with the sum and
the norms on the way; rows are never normalised; a step of GIGA is one product of the N x J rows with one
vector, because the product with l is known; weights are re-solved by scipy.optimize.nnls on the triangular
factor of the J x k matrix of the active rows. OpenBLAS and its threads are the caller's affair. Prints one JSON
object; importing the libraries is outside the clock.
"""
import argparse
import concurrent.futures
import json
import os
import sys
import time

import numpy as np
import pandas as pd
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.optimize import nnls
from scipy.special import expit

BLOCK_ROWS = 1024  # of 128 to 4096, none was faster for 500 features
CORES = len(os.sched_getaffinity(0))


# --- load ----------------------------------------------------------------------------------------------


def distinct(frame):
    """The frame's first of equal rows, and how often each occurs."""
    codes, hashes = pd.factorize(pd.util.hash_pandas_object(frame, index=False).to_numpy())
    if len(hashes) == len(frame):
        return frame, np.ones(len(frame))
    first = np.unique(codes, return_index=True)[1]
    merged = frame.iloc[first]
    if not np.array_equal(merged.to_numpy()[codes], frame.to_numpy()):
        sys.exit("pipeline_numpy: two different rows have one hash")
    return merged, np.bincount(codes).astype(float)


def load(path):
    """The matrix of all w_n as D x N, intercept last, and the multiplicities."""
    frame, counts = distinct(pd.read_csv(path, dtype=np.float64))
    columns = np.ascontiguousarray(frame.to_numpy().T)  # pandas holds columns: usually no copy
    features, labels = columns[:-1], columns[-1]
    share = counts / counts.sum()
    features -= (features @ share)[:, None]
    scales = np.sqrt(np.einsum("dn,dn,n->d", features, features, share))
    labels[:] = np.where(labels > 0, 1, -1)
    features *= labels
    features /= np.where(scales > 0, scales, 1)[:, None]
    return columns, counts


# --- laplace ---------------------------------------------------------------------------------------------


def laplace(columns, counts, max_iterations=50):
    """Mode under a standard normal prior by Newton's method, and the factor C of the covariance C C'."""
    dim = len(columns)
    theta = np.zeros(dim)
    weighted = np.empty_like(columns)
    for _ in range(max_iterations):
        slopes = expit(-(theta @ columns))
        bend = slopes * (1 - slopes)
        bend *= counts
        np.multiply(columns, np.sqrt(bend, out=bend), out=weighted)
        precision = weighted @ weighted.T
        precision.flat[::dim + 1] += 1
        gradient = columns @ (slopes * counts) - theta
        step = cho_solve(cho_factor(precision), gradient)
        theta += step
        if gradient @ step <= 1e-12:
            return theta, solve_triangular(np.linalg.cholesky(precision), np.eye(dim), lower=True).T
    sys.exit("pipeline_numpy: Newton's method did not converge")


# --- project -----------------------------------------------------------------------------------------------


class Features:
    """J random coordinates of the gradient at draws from pihat, for any rows."""

    def __init__(self, columns, counts, pihat, dim, random):
        self.columns, self.counts = columns, counts
        mean, factor = pihat
        self.thetas = factor @ random.standard_normal((len(mean), dim)) + mean[:, None]
        self.coordinates = np.sort(random.integers(len(mean), size=dim))
        self.scale = np.sqrt(len(mean) / dim)
        self.dim = dim

    def write(self, rows, spare, out):
        """The vectors of `rows` (a slice or an array) to `out`; `spare` is of the same shape."""
        block = np.ascontiguousarray(self.columns[:, rows].T)
        np.matmul(block, self.thetas, out=spare)
        np.exp(spare, out=spare)
        spare += 1
        block *= (self.scale * self.counts[rows])[:, None]
        np.take(block, self.coordinates, axis=1, out=out, mode="clip")
        out /= spare

    def read(self, rows):
        out = np.empty((len(rows), self.dim))
        self.write(rows, np.empty_like(out), out)
        return out


def sum_of(features, vectors=None, squares=None):
    """The sum over all rows; fills the N x J vectors and their squared norms if they are given.

    On all cores: NumPy's loops do not hold the interpreter's lock.
    """
    num_rows = features.columns.shape[1]
    blocks = [slice(at, min(at + BLOCK_ROWS, num_rows)) for at in range(0, num_rows, BLOCK_ROWS)]

    def work(share):
        spare, room = np.empty((2, BLOCK_ROWS, features.dim))
        total = np.zeros(features.dim)
        for rows in share:
            count = rows.stop - rows.start
            out = room[:count] if vectors is None else vectors[rows]
            features.write(rows, spare[:count], out)
            total += out.sum(axis=0)
            if squares is not None:
                np.einsum("nj,nj->n", out, out, out=squares[rows])
        return total

    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        return sum(pool.map(work, [blocks[k::CORES] for k in range(CORES)]))


# --- construct -----------------------------------------------------------------------------------------------


def construct(vectors, total, squares, size):
    """Selects as GIGA does, re-solves all weights, drops zeros; {row: weight} and the number of steps."""
    target_norm = np.linalg.norm(total)
    target = total / target_norm
    floor = np.maximum(squares, np.finfo(float).tiny)
    along_target = vectors @ target
    score, cosine = np.empty_like(squares), np.empty_like(squares)
    floor_share = 1e-15  # of |l_n|^2: a row closer to v than 3e-8 has no direction from it

    active, weights, current = [], np.empty(0), None
    steps = 0
    while len(active) < size and steps < 4 * size:
        steps += 1
        if current is None:
            np.divide(along_target, np.sqrt(floor), out=score)
        else:  # <l_n, l - <l,v> v> / |l_n - <l_n,v> v|, up to a common factor
            v = current / np.linalg.norm(current)
            np.dot(vectors, v, out=cosine)
            np.multiply(cosine, target @ v, out=score)
            np.subtract(along_target, score, out=score)
            np.multiply(cosine, cosine, out=cosine)
            np.subtract(floor, cosine, out=cosine)
            np.maximum(cosine, floor_share * floor, out=cosine)
            np.sqrt(cosine, out=cosine)
            np.divide(score, cosine, out=score)
        row = int(score.argmax())
        if row in active or score[row] <= 0:
            break
        active.append(row)
        lengths = np.sqrt(squares[active])
        factor = np.linalg.qr(np.vstack([vectors[active] / lengths[:, None], target]).T, mode="r")
        solution, _ = nnls(factor[:, :-1], factor[:, -1])
        kept = solution > 0
        active = [n for n, keep in zip(active, kept) if keep]
        weights = (solution / lengths)[kept]
        current = weights @ vectors[active]
    return dict(zip(active, weights * target_norm)), steps


def error_of(weights, vectors, total):
    reached = np.array(list(weights.values())) @ vectors
    return float(np.linalg.norm(reached - total) / np.linalg.norm(total))


def peak_bytes():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


class Watch:
    def __init__(self):
        self.start = self.last = time.perf_counter()
        self.seconds = {}

    def note(self, stage):
        now = time.perf_counter()
        self.seconds[stage] = now - self.last
        self.last = now


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="CSV with a header; the response is the last column")
    parser.add_argument("--size", type=int, default=100, help="M")
    parser.add_argument("--projection-dim", type=int, default=500, help="J")
    parser.add_argument("--heldout-dim", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)
    np.seterr(over="ignore")  # exp: the slope is 0 then, as it should be

    watch = Watch()
    columns, counts = load(options.data)
    watch.note("load")
    pihat = laplace(columns, counts)
    watch.note("laplace")
    heldout = Features(columns, counts, pihat, options.heldout_dim, random)
    heldout_total = sum_of(heldout)
    vectors = np.empty((columns.shape[1], options.projection_dim))
    squares = np.empty(len(vectors))
    total = sum_of(Features(columns, counts, pihat, options.projection_dim, random), vectors, squares)
    watch.note("project")
    watch.note("prepare")  # the sum and the norms came with the features; there are no codes to make
    weights, steps = construct(vectors, total, squares, options.size)
    chosen = np.array(list(weights))
    relative_error = error_of(weights, vectors[chosen], total)
    heldout_error = error_of(weights, heldout.read(chosen), heldout_total)
    watch.note("construct")

    json.dump({
        "N": vectors.shape[0], "D": len(columns), "J": options.projection_dim,
        "size": len(weights), "steps": steps,
        "relative_error": relative_error, "heldout_error": heldout_error,
        "rows": sorted(weights), "weights": [weights[n] for n in sorted(weights)],
        "seconds": {**watch.seconds, "total": watch.last - watch.start},
        "peak_bytes": peak_bytes(),
    }, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
