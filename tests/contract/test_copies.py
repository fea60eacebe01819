"""What people hold can be pickled, copied and sent to another process, and is then the same."""

from __future__ import annotations

import copy
import importlib
import inspect
import multiprocessing
import pickle
import pkgutil
import threading
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base import errors
from sottovoce.base.errors import InvalidInput, MissingExtra, Refused, SottovoceError, Unfit
from sottovoce.estimators.methods import Method, registered_method
from support.copies import pickled

WAYS = {
    **{f"pickle {p}": partial(pickled, protocol=p) for p in (2, 5)},
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.fixture(params=WAYS)
def copied(request):
    return WAYS[request.param]


def reports_of(mechanism, count=200):
    held = np.random.default_rng(1).integers(0, mechanism.domain.size, count)
    return mechanism.randomize_indices(held, sv.Seeded(1))


# -- what is kept ------------------------------------------------------------------------------


def test_mechanisms_reports_and_tallies(mechanism, copied):
    mechanism.channel()
    again = copied(mechanism)
    assert again == mechanism
    assert (hash(again), again.fingerprint) == (hash(mechanism), mechanism.fingerprint)
    assert copied(mechanism.domain) == mechanism.domain
    assert copied(mechanism.certificate()) == mechanism.certificate()
    reports = reports_of(mechanism)
    assert copied(reports) == reports
    tally = mechanism.tally(reports, window="2026-11-16")
    assert (copied(tally), hash(copied(tally))) == (tally, hash(tally))
    assert copied(tally) + tally == tally + tally
    with pytest.raises(ValueError, match="read-only"):
        copied(tally).cells[0] = 1


def test_a_pickle_holds_no_caches(mechanism):
    """Tables and channels are made again where they are needed: they can be large."""
    fresh = copy.copy(mechanism)
    before = len(pickle.dumps(fresh))
    fresh.channel().forward(np.full(fresh.domain.size, 1 / fresh.domain.size))
    reports_of(fresh)
    assert len(pickle.dumps(fresh)) == before


def test_channels(mechanism, copied):
    channel, w = mechanism.channel(), np.full(mechanism.domain.size, 1 / mechanism.domain.size)
    np.testing.assert_array_equal(copied(channel).forward(w), channel.forward(w))


def test_surveys(mechanism, copied):
    survey = sv.Survey("s", "What?", mechanism, "day")
    assert copied(survey) == survey
    assert copied(survey).fingerprint == survey.fingerprint


# -- what is found -----------------------------------------------------------------------------

LINE = sv.Interval(0, 1, bins=8)


def fusion():
    services = [sv.mechanism(name, LINE, 1.0) for name in ("sw", "pm", "oue")]
    values = np.random.default_rng(2).beta(2, 4, 600)
    reports = [m.randomize(values, source=sv.Seeded(i)) for i, m in enumerate(services)]
    return sv.fuse(services, reports)


@pytest.mark.parametrize("inner", ["em", "ems", "mle", "mr", "adaptive"])
def test_fused_estimates(inner):
    options = {} if inner == "adaptive" else {"progress": lambda *_: None}
    found = fusion().distribution(inner=inner, **options)
    again = pickled(found)
    assert copy.deepcopy(found).method == copy.copy(found).method == f"ule + {inner}"
    np.testing.assert_array_equal(again.shares, found.shares)
    np.testing.assert_array_equal(again.stderr, found.stderr)  # fused again, from its own reports


def test_fused_means_and_what_they_are_made_of(copied):
    whole = fusion()
    mean = whole.mean()
    assert str(copied(mean)) == str(mean)
    assert copied(whole).mean().value == mean.value


def test_answers_differences_plans_and_comparisons(copied):
    mechanism = sv.mechanism("grr", sv.Categories(["a", "b", "c"]), 1.0)
    tallies = [mechanism.simulate([50, 30, 20 + i], source=sv.Seeded(i)) for i in range(2)]
    one, two = map(sv.estimate, tallies)
    assert copied(one.share("a")) == one.share("a")
    assert str(copied(one.frame())) == str(one.frame())
    found = sv.difference(one, two)
    np.testing.assert_array_equal(copied(found).stderr, found.stderr)
    plan = sv.plan(mechanism.domain, epsilon=1.0, users=1000)
    assert str(copied(plan)) == str(plan)
    compared = sv.compare(tallies[0], methods=["unbiased", "norm-sub"], replicates=5)
    assert copied(compared).best == compared.best


def test_estimates_from_whole_reports_and_of_keys():
    oue = sv.mechanism("oue", LINE, 1.0)
    whole = sv.estimate(oue.randomize(np.linspace(0, 1, 300), source=sv.Seeded(1)), "em")
    again = pickled(whole)
    np.testing.assert_array_equal(again.stderr, whole.stderr)
    pairs = sv.mechanism("key-value", sv.KeyValues(["film", "book"], 0, 5, bins=4), 2.0)
    tally = pairs.simulate(np.full(pairs.domain.size, 40), source=sv.Seeded(1))
    found = sv.estimate(tally, "unbiased")
    assert str(pickled(found).keys()) == str(found.keys())


def test_progress_is_not_called_for_repetitions():
    """A function that follows the fit cannot be pickled, and says nothing of the fits after it."""
    calls = []
    sw = sv.mechanism("sw", LINE, 1.0)
    tally = sw.simulate(np.full(8, 100), source=sv.Seeded(1))
    found = sv.estimate(tally, "em", progress=lambda *told: calls.append(told))
    before = len(calls)
    assert pickled(found).stderr.shape == found.stderr.shape == (8,)
    assert len(calls) == before


def test_methods_are_pickled_by_name():
    assert pickled(registered_method("em")) is registered_method("em")
    with pytest.raises(Unfit, match="mine cannot be pickled: it is not a registered method"):
        pickle.dumps(Method("mine", "of nobody"))
    with pytest.raises(Unfit, match="mine is not registered here: import the module"):
        registered_method("mine")


# -- errors ------------------------------------------------------------------------------------


def every_error(base=SottovoceError):
    return {base, *(error for sub in base.__subclasses__() for error in every_error(sub))}


def import_everything():
    for module in pkgutil.walk_packages(sv.__path__, "sottovoce."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


MADE_WITH = {
    InvalidInput: (("epsilon", "grr", "a number", -1), {"hint": "Try 1."}),
    Refused: (("unknown-survey", "there is none", 3), {}),
    MissingExtra: (("scipy", "analyse", "estimating"), {}),
}


def needed(kind):
    """A text for every parameter that has to be given."""
    parameters = list(inspect.signature(kind.__init__).parameters.values())[1:]
    named = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty]
    return [f"the {p.name}" for p in named] or ["what is wrong"]


def same(one, other):
    assert type(one) is type(other)
    assert (str(one), one.args, vars(one)) == (str(other), other.args, vars(other))
    assert isinstance(one, ImportError) <= (getattr(one, "msg", "") == getattr(other, "msg", ""))


def test_every_error(copied):
    import_everything()
    kinds = every_error()
    assert {getattr(errors, name) for name in errors.__all__ if name[0].isupper()} - kinds == {
        sv.NotConverged
    }
    for kind in kinds:
        arguments, more = MADE_WITH.get(kind) or (needed(kind), {})
        error = kind(*arguments, **more)
        error.add_note("in line 3")
        same(copied(error), error)


def test_a_value_that_cannot_be_pickled_is_told_by_its_text():
    error = InvalidInput("values", "grr", "numbers", threading.Lock())
    again = pickled(error)
    assert str(again) == str(error)
    assert again.given.startswith("<unlocked _thread.lock object at")


# -- another process ---------------------------------------------------------------------------


def counted(reports):
    return reports.mechanism.tally(reports)


def refused(value):
    raise InvalidInput("value", "counted", "another one", value)


def test_another_process():
    """Parts are counted by processes that start afresh, and added: all that a cluster does."""
    mechanism = sv.mechanism("olh", sv.Categories(20), 1.0)
    reports = reports_of(mechanism, 900)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        parts = list(pool.map(counted, [reports[:400], reports[400:]]))
        assert sum(parts) == mechanism.tally(reports)
        found = pool.submit(sv.estimate, sum(parts), "norm-sub").result()
        np.testing.assert_array_equal(found.stderr, sv.estimate(sum(parts), "norm-sub").stderr)
        with pytest.raises(InvalidInput, match="must be another one; got 7") as raised:
            pool.submit(refused, 7).result()
        assert raised.value.given == 7
