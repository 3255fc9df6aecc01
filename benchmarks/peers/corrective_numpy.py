#!/usr/bin/python3
"""A lean corrective GIGA in NumPy and SciPy: the peer that the method `corrective` is measured against.

    /usr/bin/python3 benchmarks/peers/corrective_numpy.py V.npy --size 200

Each step chooses a row as GIGA does, solves nonnegative least squares over all chosen rows and drops those whose
weight is zero, until there are `size` points.

Lean means: float64 throughout; rows normalised once; one product of the N x J rows with one vector per step,
because the product with l is known; every other operation over N in place. The weights are solved by the method of
Lawson and Hanson on the normal equations, from the last solution: the Cholesky factor of the active rows' Gram
matrix gains a column per step by one triangular solve and loses one by rotations, O(k^2) each, so nothing is ever
factorised anew. How the product is best written depends on the shape and the BLAS, so three ways are tried before
the clock starts and the fastest is kept. Preparation is norms, sum, normalisation and the product with l. Prints
one JSON object; importing the libraries and checking the result are outside the clock.
"""
import argparse
import concurrent.futures
import json
import os
import sys
import time

import numpy as np
from scipy.linalg.blas import drot, drotg, dtrsv
from scipy.optimize import nnls

CORES = len(os.sched_getaffinity(0))
SPARE_SLOTS = 32  # at least, whenever the slots are laid out anew
VIOLATION = 1e-10  # <l_i, residual> / |residual| for which a dropped row enters again


# --- one product with all rows --------------------------------------------------------------------------


class ByRows:
    """Unit rows as they are; the BLAS has all of them at once."""

    def __init__(self, shape):
        self.units = np.empty(shape)

    def normalise(self, rows, norms):
        np.divide(rows, norms[:, None], out=self.units)

    def product(self, vector, out):
        np.dot(self.units, vector, out=out)


class ByColumns(ByRows):
    """Unit rows as the columns of a matrix."""

    def __init__(self, shape):
        self.units = np.empty(shape[::-1]).T


class ByShares(ByRows):
    """Unit rows as they are, a share for each core: NumPy's product does not hold the interpreter's lock."""

    def __init__(self, shape):
        super().__init__(shape)
        self.shares = np.array_split(np.arange(shape[0]), CORES)
        self.pool = concurrent.futures.ThreadPoolExecutor(CORES)

    def product(self, vector, out):
        def work(share):
            rows = slice(share[0], share[-1] + 1)
            np.dot(self.units[rows], vector, out=out[rows])

        list(self.pool.map(work, self.shares))


def fastest(rows, trials=9):
    vector, out = np.ones(rows.shape[1]), np.empty(rows.shape[0])
    best, best_time = None, np.inf
    for way in [ByRows, ByColumns, ByShares]:
        units = way(rows.shape)
        units.normalise(rows, np.ones(len(rows)))
        times = []
        for _ in range(trials):
            start = time.perf_counter()
            units.product(vector, out)
            times.append(time.perf_counter() - start)
        if np.median(times) < best_time:
            best, best_time = units, np.median(times)
    return best


# --- nonnegative least squares ----------------------------------------------------------------------------


class Nnls:
    """min |A'u - l| over u >= 0, A the active unit rows, one in each slot.

    Invariant: R'R = A A' over the slots in use, R upper triangular. A free slot has u = 0 and is a row and a
    column of the identity in R, so that solves run over the whole matrix, which BLAS takes without a copy.
    """

    def __init__(self, target):
        self.target = target
        self.count = 0  # slots so far, free ones included
        self.rows = np.empty(0, dtype=int)  # of a slot; -1: free
        self.units = np.empty((0, target.size))  # A; zero where free
        self.along = np.empty(0)  # <l_n, l>; zero where free
        self.weights = np.empty(0)  # u
        self.factor = np.empty((0, 0))  # R
        self.solves = self.removals = 0

    def num_points(self):
        return np.count_nonzero(self.weights[:self.count] > 0)

    def enter(self, row, unit):
        """The slot of the new row, whose weight is 0 so far; None if the rows in use span it."""
        if self.count == len(self.rows):
            self.make_room()
        k = self.count
        gram = np.zeros(len(self.rows))
        np.dot(self.units[:k], unit, out=gram[:k])
        column = dtrsv(self.factor.T, gram, lower=1, overwrite_x=1)[:k]  # R'r = gram
        rest = unit @ unit - column @ column
        if rest <= 1e-14:
            return None
        self.factor[:k, k] = column
        self.factor[k, k] = np.sqrt(rest)
        self.rows[k], self.units[k], self.along[k] = row, unit, unit @ self.target
        self.count += 1
        return k

    def leave(self, slot):
        # Rows below the slot take in what the slot's row of R held: R3'R3 + r r', one rotation for each.
        k, factor = self.count, self.factor
        rest = factor[slot, :k].copy()
        for i in range(slot + 1, k):
            if rest[i] != 0:
                cosine, sine = drotg(factor[i, i], rest[i])
                drot(factor[i, i:k], rest[i:], cosine, sine, overwrite_x=1, overwrite_y=1)
        factor[slot, :k] = 0
        factor[:k, slot] = 0
        factor[slot, slot] = 1
        self.rows[slot], self.units[slot], self.along[slot], self.weights[slot] = -1, 0, 0, 0
        self.removals += 1

    def make_room(self):
        """Lays the slots in use out anew, without free ones between them and with some behind them."""
        used = np.flatnonzero(self.rows >= 0)
        self.count = len(used)
        capacity = len(used) + max(SPARE_SLOTS, len(used) // 8)

        def moved(values, nothing=0):
            room = np.full((capacity,) + values.shape[1:], nothing, dtype=values.dtype)
            room[:len(used)] = values[used]
            return room

        self.rows, self.units = moved(self.rows, -1), moved(self.units)
        self.along, self.weights = moved(self.along), moved(self.weights)
        factor = np.eye(capacity)
        factor[:len(used), :len(used)] = self.factor[np.ix_(used, used)]
        self.factor = factor

    def settle(self):
        """Moves to the optimum of the slots in use, less those whose weight reaches 0 first; these rows."""
        gone = []
        while True:
            k = self.count
            self.solves += 1
            optimum = dtrsv(self.factor.T, self.along, lower=1)
            optimum = dtrsv(self.factor.T, optimum, lower=1, trans=1, overwrite_x=1)[:k]
            weights = self.weights[:k]
            blocked = np.flatnonzero((optimum <= 0) & (self.rows[:k] >= 0))
            if len(blocked) == 0:
                weights[:] = optimum
                return gone
            # u + step (z - u) with the largest step that keeps u >= 0.
            steps = weights[blocked] / np.maximum(weights[blocked] - optimum[blocked], np.finfo(float).tiny)
            first = steps.argmin()
            weights += steps[first] * (optimum - weights)
            np.maximum(weights, 0, out=weights)
            gone.append((self.rows[blocked[first]], self.units[blocked[first]].copy()))
            self.leave(blocked[first])

    def solve(self, row, unit):
        """Adds a row and solves. Returns A'u and the rows that were dropped; None if the others span the row."""
        if self.enter(row, unit) is None:
            return None
        gone = self.settle()
        barred = []  # left again at once: rounding
        while True:
            reached = self.weights[:self.count] @ self.units[:self.count]
            if not gone:
                return reached, barred
            residual = self.target - reached
            gains = np.array([unit @ residual for _, unit in gone])
            worst = gains.argmax()
            if gains[worst] <= VIOLATION * np.linalg.norm(residual):
                return reached, gone + barred
            row, unit = gone.pop(worst)
            slot = self.enter(row, unit)
            if slot is None:
                barred.append((row, unit))
                continue
            gone += self.settle()
            if self.rows[slot] != row:
                barred += [pair for pair in gone if pair[0] == row]
                gone = [pair for pair in gone if pair[0] != row]


# --- the method --------------------------------------------------------------------------------------------


def prepare(rows, units):
    """Unit rows to `units`; the norms, the sum of all rows, and <l_n, l> for all rows."""
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    norms[norms == 0] = 1
    units.normalise(rows, norms)
    total = rows.sum(axis=0)
    along = np.empty(len(rows))
    units.product(total / np.linalg.norm(total), along)
    return norms, total, along


def construct(rows, norms, total, along, units, size, max_steps):
    """The solver with the active rows and their weights, the rows that the last step dropped, the steps."""
    target = total / np.linalg.norm(total)
    solver = Nnls(target)
    score, cosine = along.copy(), np.empty_like(along)
    gone, steps = [], 0
    while True:
        row = int(score.argmax())
        if score[row] <= 0 or row in solver.rows[:solver.count]:
            break
        solved = solver.solve(row, rows[row] / norms[row])
        if solved is None:
            break
        steps += 1
        reached, gone = solved
        if solver.num_points() >= size or steps >= max_steps:
            break
        # <l_n, l - <l,v> v> / |l_n - <l_n,v> v|, up to a common factor.
        v = reached / np.linalg.norm(reached)
        units.product(v, cosine)
        np.multiply(cosine, target @ v, out=score)
        np.subtract(along, score, out=score)
        np.multiply(cosine, cosine, out=cosine)
        np.subtract(1, cosine, out=cosine)
        np.maximum(cosine, 1e-15, out=cosine)  # a row closer to v than 3e-8 has no direction from it
        np.sqrt(cosine, out=cosine)
        np.divide(score, cosine, out=score)
    return solver, gone, steps


def checked(solver, gone):
    """The error, and how far the Karush-Kuhn-Tucker conditions of the last step are from met."""
    used = solver.rows >= 0
    units, weights = solver.units[used], solver.weights[used]
    residual = solver.target - weights @ units
    violation = max(np.abs(units @ residual).max(), -weights.min())
    for _, unit in gone:
        violation = max(violation, unit @ residual)
    return {"relative_error": float(np.linalg.norm(residual)), "kkt_violation": float(violation)}


def scipy_error(solver):
    """The error of scipy.optimize.nnls on the final rows."""
    units = solver.units[solver.rows >= 0]
    factor = np.linalg.qr(np.vstack([units, solver.target]).T, mode="r")
    return float(nnls(factor[:, :-1], factor[:, -1], maxiter=20 * len(units))[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vectors", help="N x J matrix, .npy")
    parser.add_argument("--size", type=int, default=200)
    parser.add_argument("--max-steps", type=int, default=0, help="default 4 size")
    parser.add_argument("--json", action="store_true", help="the output is JSON in any case")
    parser.add_argument("--check", action="store_true", help="also the error of scipy.optimize.nnls on the final rows")
    options = parser.parse_args()

    start = time.perf_counter()
    rows = np.ascontiguousarray(np.load(options.vectors), dtype=np.float64)
    loaded = time.perf_counter()
    units = fastest(rows)

    tried = time.perf_counter()
    norms, total, along = prepare(rows, units)
    prepared = time.perf_counter()
    size = min(options.size, len(rows))
    solver, gone, steps = construct(rows, norms, total, along, units, size, options.max_steps or 4 * size)
    done = time.perf_counter()

    slots = np.flatnonzero(solver.weights > 0)
    slots = slots[np.argsort(solver.rows[slots])]
    chosen = solver.rows[slots]
    json.dump({
        "size": len(slots), "steps": steps,
        **checked(solver, gone),
        **({"scipy_error": scipy_error(solver)} if options.check else {}),
        "product": type(units).__name__, "solves": solver.solves, "removals": solver.removals,
        "rows": chosen.tolist(),
        "weights": (solver.weights[slots] * np.linalg.norm(total) / norms[chosen]).tolist(),
        "seconds": {"load": loaded - start, "prepare": prepared - tried, "construct": done - prepared},
    }, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
