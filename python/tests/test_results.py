"""Runs as xarray, netCDF and pictures."""

import numpy as np
import pytest

import giga

pytestmark = pytest.mark.filterwarnings("ignore::giga.GigaWarning")
xarray = pytest.importorskip("xarray", reason="apt-get install python3-xarray")


@pytest.fixture(scope="module")
def run():
    X, y = giga.simulate("logistic", rows=2000, dim=3, seed=1)
    return giga.fit(X, y=y, family="bernoulli", draws=500, chains=3)


@pytest.fixture(scope="module")
def file(run, tmp_path_factory):
    pytest.importorskip("netCDF4", reason="apt-get install python3-netcdf4")
    return run.to_netcdf(tmp_path_factory.mktemp("netcdf") / "fit.nc")


def group(file, name):
    with xarray.open_dataset(file, group=name) as opened:
        return opened.load()


def test_file_has_the_groups_dims_and_names_of_arviz(run, file):
    posterior, stats = group(file, "posterior"), group(file, "sample_stats")
    assert dict(posterior.sizes) == {"chain": 3, "draw": 500}
    assert list(posterior.data_vars) == ["x1", "x2", "x3", "intercept"]
    assert list(stats.data_vars) == ["lp", "diverging", "tree_depth", "n_steps", "energy", "acceptance_rate", "step_size"]
    assert stats["diverging"].dtype == bool and stats["n_steps"].dtype == np.int64
    assert posterior.attrs["inference_library"] == "giga" and posterior.attrs["safe"] == int(run.safe)
    assert posterior.attrs["certificate"] == run.certificate.sentence
    assert np.array_equal(posterior["intercept"].values, run.draws["(intercept)"])
    assert posterior["intercept"].attrs["parameter"] == "(intercept)"


def test_file_has_the_rows_of_the_coreset_and_all_weights(run, file):
    observed, constant, weights = (group(file, name) for name in ("observed_data", "constant_data", "weights"))
    assert np.array_equal(observed["row"].values, run.coreset.rows)
    assert set(np.unique(observed["y"])) <= {-1.0, 1.0}
    assert np.array_equal(constant["coreset_weight"].values, run.coreset.weights)
    assert np.array_equal(weights["weight"].values, run.draws.weights)


def split(values):
    half = values.shape[1] // 2
    return np.concatenate([values[:, :half], values[:, -half:]])


def ranked(values):
    from scipy.stats import norm, rankdata
    ranks = rankdata(values, method="average").reshape(values.shape)
    return norm.ppf((ranks - 0.375) / (values.size + 0.25))


def rhat_of(chains):
    length = chains.shape[1]
    within, between = chains.var(axis=1, ddof=1).mean(), length * chains.mean(axis=1).var(ddof=1)
    return np.sqrt(((length - 1) / length * within + between / length) / within)


def rhat(values):
    """Vehtari et al. (2021): of split, rank-normalised chains, and of how far draws are from the median."""
    folded = np.abs(values - np.median(values))
    return max(rhat_of(ranked(split(values))), rhat_of(ranked(split(folded))))


def ess_of(chains):
    """Geyer's initial monotone sequence, over all chains."""
    count, length = chains.shape
    centred = chains - chains.mean(axis=1, keepdims=True)
    covariance = np.array([[c[: length - t] @ c[t:] / length for t in range(length)] for c in centred])
    within = covariance[:, 0].mean() * length / (length - 1)
    total = within * (length - 1) / length + chains.mean(axis=1).var(ddof=1)
    rho = 1 - (within - covariance.mean(axis=0)) / total
    rho[0] = 1
    pairs = [rho[0] + rho[1]]
    t = 2
    while t + 1 < length - 3 and rho[t] + rho[t + 1] > 0:
        pairs.append(min(pairs[-1], rho[t] + rho[t + 1]))
        t += 2
    tau = -1 + 2 * sum(pairs) + max(0.0, rho[t])
    size = count * length
    return size / max(tau, 1 / np.log10(size))


def test_r_hat_computed_from_the_file_is_ours_to_nine_digits(run, file):
    pytest.importorskip("scipy", reason="apt-get install python3-scipy")
    posterior, told = group(file, "posterior"), {each["variable"]: each for each in run.record["diagnostics"]}
    for name, variable in posterior.data_vars.items():
        ours = told[variable.attrs["parameter"]]
        assert rhat(variable.values) == pytest.approx(ours["rhat"], abs=1e-9), name


def test_effective_sizes_computed_from_the_file_are_ours_to_nine_digits(run, file):
    pytest.importorskip("scipy", reason="apt-get install python3-scipy")
    posterior, told = group(file, "posterior"), {each["variable"]: each for each in run.record["diagnostics"]}
    for name, variable in posterior.data_vars.items():
        ours, values = told[variable.attrs["parameter"]], variable.values
        assert ess_of(ranked(split(values))) == pytest.approx(ours["ess_bulk"], rel=1e-9), name
        tails = [ess_of(split((values <= np.quantile(values, p)).astype(float))) for p in (0.05, 0.95)]
        assert min(tails) == pytest.approx(ours["ess_tail"], rel=1e-9), name


def test_groups_in_memory_are_those_of_the_file(run, file):
    for name, dataset in run.to_xarray().items():
        assert dataset.equals(group(file, name)), name


def test_samples_and_own_models_have_groups_too(tmp_path):
    X, y = giga.simulate("poisson", rows=300, seed=2)
    sampled = giga.sample(X, y=y, family="poisson", link="softplus", chains=2, draws=50)
    assert set(sampled.to_xarray()) >= {"posterior", "sample_stats"}
    own = giga.coreset(lambda theta, rows: -0.5 * (rows / 9 - theta[0]) ** 2, num_rows=90, names=["a/b"], prior=5, draws=50,
                       chains=2)
    groups = own.to_xarray()
    assert list(groups["posterior"].data_vars) == ["a|b"]
    assert np.array_equal(groups["constant_data"]["coreset_weight"], own.coreset.weights)


def test_a_file_is_not_replaced_without_force(run, file):
    with pytest.raises(giga.CannotCreate, match="force=True"):
        run.to_netcdf(file)
    assert run.to_netcdf(file, force=True) == file


def test_to_inference_data_asks_for_arviz(run):
    try:
        import arviz
    except ImportError:
        with pytest.raises(giga.LibraryMissing, match="pip install arviz"):
            run.to_inference_data()
    else:
        assert isinstance(run.to_inference_data(), arviz.InferenceData)


def test_sample_weight_has_the_coreset_among_all_rows(run):
    weights = run.sample_weight(2000)
    assert weights.shape == (2000,) and np.array_equal(weights[run.coreset.rows], run.coreset.weights)
    assert np.count_nonzero(weights) == len(run.coreset)


class TestPlots:
    @pytest.fixture(autouse=True)
    def plain(self):
        matplotlib = pytest.importorskip("matplotlib", reason="apt-get install python3-matplotlib")
        matplotlib.use("Agg")
        yield
        import matplotlib.pyplot as plt
        plt.close("all")

    def test_all_kinds_make_one_figure(self, run, tmp_path):
        figure = run.plot()
        assert [axes.get_title(loc="left") for axes in figure.axes] == [
            "Coefficients", "Posterior", "Error against size", "Weights"]
        figure.savefig(tmp_path / "all.png")

    def test_intervals_are_where_the_draws_are(self, run):
        axes = run.plot("coefficients", names=["x2"])
        (low, high) = axes.lines[0].get_xdata()
        assert abs(((run.draws["x2"] > low) & (run.draws["x2"] < high)).mean() - 0.9) < 0.03

    def test_heights_of_weights_are_the_weights(self, run):
        heights = [bar.get_height() for bar in run.plot("weights").patches]
        assert np.allclose(heights, np.sort(run.coreset.weights)[::-1])

    def test_what_there_is_not_is_refused(self, run):
        with pytest.raises(ValueError, match="kind is 'pie'"):
            run.plot("pie")
        with pytest.raises(KeyError, match="no parameter 'z'"):
            run.plot("coefficients", names=["z"])
