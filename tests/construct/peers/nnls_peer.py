"""Compares our NNLS with scipy's: |A u - b| / |b| must agree to 1e-9, and u must not be negative."""
import subprocess
import sys

try:
    import numpy as np
    from scipy.optimize import nnls
except ImportError as error:
    sys.exit(f"nnls_peer: {error}; install Debian's python3-scipy and run with /usr/bin/python3")

TOLERANCE = 1e-9
AT_LEAST = 200


def problems(path):
    words = iter(subprocess.run([path], check=True, capture_output=True, text=True).stdout.split())
    take = lambda count: np.array([float(next(words)) for _ in range(count)])
    for word in words:
        rows, count = int(word), int(next(words))
        yield take(rows), take(rows * count).reshape(count, rows).T, take(count)


def main():
    worst, count, bad = 0.0, 0, 0
    for b, a, ours in problems(sys.argv[1]):
        scale = np.linalg.norm(b)
        # scipy stops on an absolute tolerance: columns of norm 1 are its home ground.
        norms = np.linalg.norm(a, axis=0)
        theirs, _ = nnls(a / norms, b / scale, maxiter=100 * a.shape[1])
        difference = np.linalg.norm(a @ ours - b) / scale - np.linalg.norm(a / norms @ theirs - b / scale)
        if not abs(difference) <= TOLERANCE or (ours < 0).any() or not np.isfinite(ours).all():
            print(f"problem {count}: {a.shape[0]} x {a.shape[1]}, residual differs by {difference:.3e}")
            bad += 1
        worst = max(worst, abs(difference))
        count += 1
    print(f"{count} problems, largest difference of residuals {worst:.3e}")
    if count < AT_LEAST:
        sys.exit(f"only {count} problems, expected at least {AT_LEAST}")
    if bad:
        sys.exit(f"{bad} problems differ by more than {TOLERANCE}")


main()
