#!/usr/bin/python3
"""A lean GIGA in NumPy: the peer that construction is measured against.

    /usr/bin/python3 benchmarks/peers/giga_numpy.py V.npy --size 100

Lean means: float64 throughout, rows normalised once, one product of the N x J rows with two vectors a step,
every other operation over N in place. How the product is best written depends on the BLAS, so three ways are
tried before the clock starts and the fastest is kept. The number of threads is the BLAS's own affair; nothing
is set here. Preparation is norms, sum and normalisation; construction is the steps. Prints one JSON object.
"""
import argparse
import json
import sys
import time

import numpy as np


def product_ways(rows):
    """Functions of a 2 x J matrix; each returns the two products with all rows as contiguous vectors."""
    num_rows = rows.shape[0]
    flat = np.empty((2, num_rows))
    tall = np.empty((num_rows, 2))

    def two_by_n(queries):
        np.dot(queries, rows.T, out=flat)
        return flat[0], flat[1]

    def n_by_two(queries):
        np.dot(rows, queries.T, out=tall)
        np.copyto(flat, tall.T)
        return flat[0], flat[1]

    def two_products(queries):
        np.dot(rows, queries[0], out=flat[0])
        np.dot(rows, queries[1], out=flat[1])
        return flat[0], flat[1]

    return [two_by_n, n_by_two, two_products]


def fastest(ways, dim, trials=3):
    queries = np.ones((2, dim))

    def best_time(way):
        times = []
        for _ in range(trials):
            start = time.perf_counter()
            way(queries)
            times.append(time.perf_counter() - start)
        return min(times)

    return min(ways, key=best_time)


def unit(x):
    return x / np.linalg.norm(x)


def prepare(rows):
    """Normalises the rows in place; returns their norms and their sum."""
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    total = rows.sum(axis=0)
    np.divide(rows, np.where(norms > 0, norms, 1)[:, None], out=rows)
    return norms, total


def construct(rows, total, size, product):
    """Algorithm 1 of Campbell and Broderick (2018) on unit rows; returns {row: weight} of the unit rows."""
    target = unit(total)
    current = np.zeros_like(target)
    weights = {}
    queries = np.empty((2, target.size))
    for _ in range(size):
        along = target @ current
        residual = target - along * current
        length = np.linalg.norm(residual)
        if length < 1e-15:
            break
        queries[0] = residual / length
        queries[1] = current
        score, cosine = product(queries)
        np.multiply(cosine, cosine, out=cosine)
        np.subtract(1, cosine, out=cosine)
        np.maximum(cosine, 1e-28, out=cosine)
        np.sqrt(cosine, out=cosine)
        np.divide(score, cosine, out=score)
        row = int(score.argmax())
        zeta0, zeta1, zeta2 = target @ rows[row], along, rows[row] @ current
        towards = rows[row] @ residual
        if towards <= 0:
            break
        gamma = towards / (towards + max(0.0, zeta1 - zeta0 * zeta2))
        mixed = (1 - gamma) * current + gamma * rows[row]
        scale = np.linalg.norm(mixed)
        current = mixed / scale
        weights = {n: w * (1 - gamma) / scale for n, w in weights.items()}
        weights[row] = weights.get(row, 0.0) + gamma / scale
    factor = np.linalg.norm(total) * (target @ current)
    return {n: w * factor for n, w in weights.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vectors", help="N x J matrix, .npy")
    parser.add_argument("--size", type=int, default=100)
    options = parser.parse_args()

    start = time.perf_counter()
    rows = np.ascontiguousarray(np.load(options.vectors), dtype=np.float64)
    loaded = time.perf_counter()
    product = fastest(product_ways(rows), rows.shape[1])

    tried = time.perf_counter()
    norms, total = prepare(rows)
    prepared = time.perf_counter()
    weights = construct(rows, total, options.size, product)
    done = time.perf_counter()

    reached = sum(w * rows[n] for n, w in weights.items()) if weights else np.zeros_like(total)
    json.dump({
        "size": len(weights),
        "relative_error": float(np.linalg.norm(reached - total) / np.linalg.norm(total)),
        "product": product.__name__,
        "rows": sorted(weights),
        "weights": [weights[n] / norms[n] for n in sorted(weights)],
        "seconds": {"load": loaded - start, "prepare": prepared - tried, "construct": done - prepared},
    }, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
