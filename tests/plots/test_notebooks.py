"""Figures show themselves in a notebook, in a kernel where nothing was imported before."""

from __future__ import annotations

import base64
import pickle
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from matplotlib.pyplot import subplots

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, MissingExtra

PNG = b"\x89PNG\r\n\x1a\n"
MADE = (
    "import sottovoce as sv\n"
    "tea = sv.mechanism('grr', sv.Categories(['tea', 'coffee']), 1.0)\n"
    "e = sv.estimate(tea.simulate([600, 400], source=sv.Seeded(1)))\n"
)


def figures():
    tea = sv.mechanism("grr", sv.Categories(["tea", "coffee"]), 1.0)
    hours = sv.mechanism("grr", sv.Interval(0, 24, 4), 1.0)
    one, two = (sv.estimate(tea.simulate([600, 400], source=sv.Seeded(s))) for s in (1, 2))
    of_hours = sv.estimate(hours.simulate([10, 20, 30, 40], source=sv.Seeded(1)))
    yield one.plot()
    yield of_hours.plot("cdf")
    yield sv.difference(one, two).plot()
    yield sv.draw([one.share("tea"), two.share("tea")])


def test_a_figure_is_its_own_picture():
    for figure in figures():
        assert figure._repr_png_().startswith(PNG)


def test_a_figure_is_shown_without_pyplot():
    """By the protocol of display hooks: pyplot would have told the kernel how, and is not there."""
    code = MADE + (
        "import sys\n"
        "picture = e.plot()._repr_png_()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "assert picture.startswith(bytes([137]) + b'PNG')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_a_figure_can_be_pickled():
    figure = next(figures())
    assert pickle.loads(pickle.dumps(figure))._repr_png_().startswith(PNG)  # noqa: S301


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"Estimate.plot .*matplotlib"):
        next(figures())


@pytest.mark.slow
def test_a_fresh_kernel_shows_a_plot():
    manager = pytest.importorskip("jupyter_client.manager")
    pytest.importorskip("ipykernel")
    kernel = manager.KernelManager(kernel_name="python3")
    kernel.kernel_spec_manager.ensure_native_kernel = True
    kernel.start_kernel()
    client = kernel.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=120)
        shown = []
        reply = client.execute_interactive(
            MADE + "e.plot()", timeout=120, output_hook=lambda message: shown.append(message)
        )
        assert reply["content"]["status"] == "ok", reply["content"]
        (result,) = [each for each in shown if each["msg_type"] == "execute_result"]
        assert base64.b64decode(result["content"]["data"]["image/png"]).startswith(PNG)
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)


# -- results as a notebook shows them -----------------------------------------------------------


def results():
    mechanism = sv.mechanism("grr", sv.Categories(["tea", "<b>coffee</b>"]), 1.0)
    tallies = [mechanism.simulate([600, 400], source=sv.Seeded(seed)) for seed in (1, 2, 3)]
    one, two, _ = map(sv.estimate, tallies)
    pairs = sv.mechanism("key-value", sv.KeyValues(["a", "b"], 0, 5, bins=5), 2.0)
    kept = pairs.simulate([100] * 10, source=sv.Seeded(4))
    keys = sv.estimate(kept)
    yield "estimate", one, True
    yield "keys", keys, True
    yield "difference", two - one, True
    yield "answer", one.share("tea"), False
    yield "trend", sv.trend(tallies, windows=["a", "b", "c"]).share("tea"), True
    yield "comparison", sv.compare(tallies[0], "distribution", replicates=3), True
    yield "plan", sv.plan(mechanism.domain, epsilon=1.0, users=1000), False
    yield "windows", sv.plan_windows(mechanism.domain, 7, lifetime=2.0, users=1000), False
    yield "survey", sv.Survey("drinks", "What <i>do</i> you drink?", mechanism), False


def test_results_show_themselves_and_their_text_is_text():
    for kind, result, drawn in results():
        html = result._repr_html_()
        ElementTree.fromstring(html.replace('max-width:100%">', 'max-width:100%"/>'))  # noqa: S314
        assert ("data:image/png;base64," in html) == drawn, kind
        assert "<b>coffee" not in html and "<i>do" not in html, kind


def test_results_without_matplotlib_have_their_tables(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    for _, result, _ in results():
        assert "data:image" not in result._repr_html_()


def test_plots_are_drawn_into_axes_of_ones_own():
    _, axes = subplots(2, 2)
    mechanism = sv.mechanism("grr", sv.Interval(0, 4, 4), 1.0)
    one, two = (
        sv.estimate(mechanism.simulate([10, 20, 30, 40], source=sv.Seeded(s))) for s in (1, 2)
    )
    series = sv.trend([mechanism.simulate([9, 9, 9, 9], source=sv.Seeded(s)) for s in range(3)], windows=["a", "b", "c"])  # fmt: skip
    for ax, draw in zip(
        axes.ravel(), (one.plot, (two - one).plot, series.mean().plot, one.plot), strict=True
    ):
        assert draw(ax=ax) is ax.figure
        assert ax.has_data() and ax.get_title(loc="left")
    with pytest.raises(InvalidInput, match="ax of Estimate.plot must be matplotlib axes; got 3"):
        one.plot(ax=3)
    with pytest.raises(InvalidInput, match="must be matplotlib axes, polar ones"):
        one.plot("ring", ax=axes[0, 0])
    with pytest.raises(InvalidInput, match="ax of plot must be None with kind='trace'"):
        one.plot("trace", ax=axes[0, 0])


def test_minus_is_the_difference():
    mechanism = sv.mechanism("grr", sv.Categories(["tea", "coffee"]), 1.0)
    one, two = (sv.estimate(mechanism.simulate([600, 400], source=sv.Seeded(s))) for s in (1, 2))
    assert (two - one).share("tea") == sv.difference(one, two).share("tea")
    with pytest.raises(TypeError):
        two - 1
