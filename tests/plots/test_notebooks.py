"""Figures show themselves in a notebook, in a kernel where nothing was imported before."""

from __future__ import annotations

import base64
import pickle
import subprocess
import sys

import pytest

import sottovoce as sv
from sottovoce.base.errors import MissingExtra

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
