"""The demonstration: a made-up town answers a question it would not answer aloud.

``python -m sottovoce.demo`` (or ``make demo``) simulates 200,000 people, shows
progress, prints truth beside estimates with intervals, and writes a picture and
a page that opens without a network.
"""

from __future__ import annotations

import argparse
import base64
import io
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

import sottovoce as sv
from sottovoce.core.checks import check_int
from sottovoce.core.extras import optional
from sottovoce.core.files import write_whole
from sottovoce.simulate import Walk, walk

__all__ = ["main", "run"]

QUESTION = "How did you get to work this morning?"
ANSWERS = {
    "bus": 0.27, "bicycle": 0.19, "car": 0.17, "on foot": 0.13, "train": 0.09, "worked at home": 0.07,
    "scooter": 0.04, "called in sick, went fishing": 0.025, "taxi": 0.01, "on a horse": 0.005,
}  # fmt: skip


def run(people: int, epsilon: float, folder: Path, *, console: Any = None) -> Walk:
    """Simulate, print, and write ``demo.png`` and ``demo.html`` into ``folder``.

    ``console`` is rich's, by default one on standard output.
    """
    check_int(people, "people", "the demo", 1)
    if console is None:
        console = optional("rich.console", extra="cli", purpose="the demo").Console()
    progress = optional("rich.progress", extra="cli", purpose="the demo")
    domain = sv.Categories(list(ANSWERS))
    survey = sv.Survey("commute", QUESTION, sv.mechanism("olh", domain, epsilon))
    rng = np.random.default_rng()
    values = np.array(list(ANSWERS))[rng.choice(len(ANSWERS), people, p=list(ANSWERS.values()))]

    console.print(f"[bold]{QUESTION}[/]  {people:,} people, epsilon {epsilon:g}")
    console.print(survey.privacy(), style="dim")
    with progress.Progress(console=console) as bar:
        task = bar.add_task("randomizing on devices, tallying reports", total=people)
        result = walk(survey.mechanism, values, progress=lambda done: bar.advance(task, done))
    console.print(_table(result))
    inside = _inside(result)
    console.print(
        f"{inside.sum()} of {len(inside)} true shares lie in their 95% interval. "
        "The collector saw only randomized reports."
    )
    folder.mkdir(parents=True, exist_ok=True)
    picture = _picture(result)
    write_whole(folder / "demo.png", lambda part: part.write_bytes(picture))
    page = _page(survey, result, picture)
    write_whole(folder / "demo.html", lambda part: part.write_text(page, encoding="utf-8"))
    console.print(f"picture: {folder / 'demo.png'}\npage:    {folder / 'demo.html'}")
    return result


def _percent(share: float) -> str:
    """Two digits, and no minus before a zero."""
    return f"{round(share, 4) + 0.0:.2%}"


def _inside(result: Walk) -> Any:
    frame = result.estimate.frame()
    return (np.array(frame["low"]) <= result.truth) & (result.truth <= np.array(frame["high"]))


def _table(result: Walk) -> Any:
    table = optional("rich.table", extra="cli", purpose="the demo").Table()
    for name in ("answer", "truth", "estimate", "95% interval"):
        table.add_column(name, justify="left" if name == "answer" else "right")
    for row, truth, inside in zip(
        result.estimate.frame(), result.truth, _inside(result), strict=True
    ):
        table.add_row(
            str(row["value"]), f"{_percent(truth)}", f"{_percent(row['share'])}",
            f"{_percent(row['low'])} to {_percent(row['high'])}", style="" if inside else "yellow",
        )  # fmt: skip
    return table


def _picture(result: Walk) -> bytes:
    figure = result.estimate.plot(truth=result.truth, title=QUESTION)
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=144)
    return buffer.getvalue()


def _page(survey: sv.Survey, result: Walk, picture: bytes) -> str:
    rows = "\n".join(
        f"<tr><th scope='row'>{escape(str(row['value']))}</th><td>{_percent(truth)}</td>"
        f"<td>{_percent(row['share'])}</td><td>{_percent(row['low'])} to {_percent(row['high'])}</td></tr>"
        for row, truth in zip(result.estimate.frame(), result.truth, strict=True)
    )
    image = base64.b64encode(picture).decode()
    privacy = escape(survey.privacy()).replace("\n", "<br>")
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>sottovoce: {escape(survey.question)}</title>
<style>
 :root {{ color-scheme: light dark; }}
 body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }}
 img {{ max-width: 100%; background: white; border-radius: .5rem; }}
 table {{ border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }}
 th, td {{ padding: .3rem .6rem; text-align: right; border-bottom: 1px solid #8884; }}
 th:first-child {{ text-align: left; }}
 th[scope=row] {{ font-weight: normal; }}
 footer {{ opacity: .75; font-size: .9rem; }}
</style></head><body>
<h1>{escape(survey.question)}</h1>
<p>{result.tally.n:,} simulated people answered through {escape(str(survey.mechanism.name))},
epsilon {survey.mechanism.epsilon:g}. The collector saw only randomized reports.</p>
<img alt="Estimated share of every answer with its interval, and the true share"
 src="data:image/png;base64,{image}">
<table><thead><tr><th>answer</th><th>truth</th><th>estimate</th><th>95% interval</th></tr></thead>
<tbody>
{rows}
</tbody></table>
<h2>What the privacy means</h2>
<p>{privacy}</p>
<footer><p>Exactly: {escape(str(survey.mechanism.certificate()))}.
Survey fingerprint <code>{survey.fingerprint}</code>. Method: {escape(result.estimate.method)},
because {escape(result.estimate.why)}.</p></footer>
</body></html>
"""


def main(arguments: list[str] | None = None) -> None:
    """The command line of the demo."""
    parser = argparse.ArgumentParser(prog="python -m sottovoce.demo", description=__doc__)
    parser.add_argument("--people", type=int, default=200_000)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--output", type=Path, default=Path("demo-output"))
    chosen = parser.parse_args(arguments)
    run(chosen.people, chosen.epsilon, chosen.output)


if __name__ == "__main__":
    main()
