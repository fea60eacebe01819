"""``sottovoce randomize`` and ``sottovoce tally``: from values to reports to counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sottovoce.base.checks import check_pinned
from sottovoce.base.errors import InvalidInput
from sottovoce.base.extras import optional
from sottovoce.base.randomness import OperatingSystem, Seeded, Source
from sottovoce.cli.shared.answered import read_records
from sottovoce.cli.shared.counts import read_counts
from sottovoce.cli.shared.domains import DomainOptions
from sottovoce.cli.shared.exits import guarded
from sottovoce.cli.shared.inputs import read_groups, read_tally
from sottovoce.cli.shared.options import (
    AsJson,
    ByColumn,
    Epsilon,
    Force,
    MechanismName,
    Options,
    describe,
    make_mechanism,
)
from sottovoce.cli.shared.outputs import (
    STDOUT,
    binary_stdout,
    check_file,
    check_folder,
    check_output,
    format_of,
    refuse_format,
    write_folder,
)
from sottovoce.cli.shared.pairs import read_pairs
from sottovoce.cli.shared.report_tables import REPORT_FORMATS, write_file, write_stream
from sottovoce.cli.shared.screen import say, show_json
from sottovoce.cli.shared.values import Columns, read_values
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.surveys.toml import read_survey

__all__ = ["randomize", "tally"]


@guarded
def randomize(
    *,
    source: Annotated[
        str,
        typer.Argument(
            metavar="INPUT", help="A CSV (with a header) or Parquet file; - is CSV from a pipe."
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The reports: a .parquet or .arrow file, which tally and estimate read, or a .csv file; - is an "
            "Arrow stream.",
        ),
    ],
    column: Annotated[
        str | None,
        typer.Option(
            "--column",
            metavar="COLUMN",
            help="The private column, of keys where values are pairs. It is never written. Of several "
            "questions, columns have their names.",
        ),
    ] = None,
    survey: Annotated[
        Path | None,
        typer.Option(
            "--survey",
            metavar="FILE",
            help="The survey whose mechanism randomizes, in place of --mechanism, --epsilon and a domain.",
        ),
    ] = None,
    mechanism: Annotated[str | None, *MechanismName.__metadata__] = None,
    epsilon: Epsilon = None,
    given: DomainOptions,
    option: Options = None,
    fingerprint: Annotated[
        str | None,
        typer.Option(
            "--fingerprint",
            metavar="HEX",
            help="Draw nothing unless the mechanism has this fingerprint, which --json shows.",
        ),
    ] = None,
    number: Annotated[
        str | None,
        typer.Option(
            "--number", metavar="COLUMN", help="With --keys: the private column of numbers."
        ),
    ] = None,
    person: Annotated[
        str | None,
        typer.Option(
            "--person",
            metavar="COLUMN",
            help="With --pairs: a column that identifies people; the rows of one person become "
            "one report. It is never written. If not given, every row is a person.",
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="COLUMN", help="A public column, carried along in the clear."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="N",
            help="Repeatable randomness, for simulation only: no privacy.",
        ),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Randomize true values: one report a row, or with --person one a person.

    For simulation, and for the edge where values already are: a machine that may
    see them and must not pass them on. In a survey every device randomizes its
    own value. Rows keep their order, people that of their first rows.
    """  # fmt: skip
    chosen = _chosen(survey, mechanism, given, epsilon, option)
    check_pinned(fingerprint, chosen.fingerprint, "--fingerprint", "randomize", str(chosen))
    columns = Columns(column or "", number, person, by)
    columns.check(chosen)
    form = format_of(output, REPORT_FORMATS)
    check_output(output, force=force, inputs=[source])
    check_file(output)
    _check_json(output, as_json)
    randomness: Source = OperatingSystem() if seed is None else Seeded(seed)
    if seed is not None:
        say("seeded randomness: these reports are a simulation, without any privacy")
    tables = _tables(source, columns, chosen, randomness)
    written = write_stream(tables) if output == STDOUT else write_file(output, form, tables)
    if as_json:
        show_json({"reports": written, "output": output, "by": by, "mechanism": describe(chosen)})
    elif output != STDOUT:
        say(f"{written:,} reports of {chosen} in {output}")


def _chosen(
    survey: Path | None, name: str | None, given: DomainOptions, epsilon: float | None,
    option: Sequence[str] | None,
) -> Mechanism:  # fmt: skip
    """The mechanism of a survey, or that of the options."""
    told = {"--mechanism": name, "--epsilon": epsilon, "--option": option}
    if survey is not None:
        for parameter, value in told.items():
            if value is not None:
                allowed = "left out with --survey, which has it"
                raise InvalidInput(parameter, "randomize", allowed, value)
        if given.given:
            raise InvalidInput("the domain", "randomize", "left out with --survey", "given")
        return read_survey(survey).mechanism
    if name is None:
        hint = "--survey takes all of it from a survey."
        raise InvalidInput("--mechanism", "randomize", "given", None, hint=hint)
    return make_mechanism(name, given.make(), epsilon, option)


def _check_json(output: str, as_json: bool) -> None:
    if as_json and output == STDOUT:
        raise InvalidInput(
            "--json", "the command", "left out with --output -, which takes standard output", True
        )


def _tables(given: str, columns: Columns, chosen: Mechanism, source: Source) -> Iterator[Any]:
    """Arrow tables of reports: what a device would send, and the public column."""
    arrow = optional("pyarrow", extra="analyse", purpose="writing reports")
    for reports, groups in _reports(given, columns, chosen, source):
        table = reports.to_arrow()
        if groups is not None:
            field = arrow.field(columns.by, arrow.string(), nullable=False)
            table = table.append_column(field, arrow.array(groups, arrow.string()))
        yield table


def _reports(
    given: str, columns: Columns, chosen: Mechanism, source: Source
) -> Iterator[tuple[Reports, list[str] | None]]:
    if (pairs := chosen.domain.keyed) is not None:
        for some, groups in read_pairs(given, columns, pairs):
            yield chosen.randomize(some, source=source), groups
        return
    if (record := chosen.domain.record) is not None:
        by = ("--by", columns.by)
        for _, answers, (groups,) in read_records(given, record, by, owner="randomize"):
            yield chosen.randomize_positions(answers, source), groups
        return
    for indices, groups in read_values(given, columns.column, columns.by, chosen.domain):
        yield chosen.randomize_indices(indices, source), groups


@guarded
def tally(
    *,
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT...",
            help="Reports (Parquet files, folders of them, Arrow streams), tallies, or folders of tallies; - is a pipe. "
            "Several are merged. A folder name=value below a folder of reports is a public column. "
            "With --counts: results of the query that `sql` prints, as CSV or Parquet.",
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="A tally (a .svt file); with --by a folder of tallies; - is standard output.",
        ),
    ],
    by: ByColumn = None,
    counts: Annotated[
        bool,
        typer.Option(
            "--counts",
            help="The inputs are results of the query that `sql` prints. Needs --survey.",
        ),
    ] = False,
    survey: Annotated[
        Path | None,
        typer.Option(
            "--survey",
            metavar="FILE",
            help="The survey that everything must be of. Needed with --counts, and for files that another engine "
            "wrote without our metadata.",
        ),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Count reports, and merge counts.

    With --by, PATH becomes a folder: a tally for every group, and index.json, which
    tells which file is whose.
    """  # fmt: skip
    if by is None:
        format_of(output, ("svt",))
    else:
        refuse_format(output, "with --by it is a folder of tallies")
    check_output(output, force=force, inputs=sources)
    _check_json(output, as_json)
    if by is not None and output == STDOUT:
        raise InvalidInput("--output", "tally", "a folder where --by is given", STDOUT)
    agreed = None if survey is None or counts else read_survey(survey)
    if by is None:
        check_file(output)
        whole = read_counts(sources, None, survey)[""] if counts else read_tally(sources, agreed)
        if output == STDOUT:
            stdout = binary_stdout()
            stdout.write(whole.to_bytes())
            stdout.flush()
        else:
            whole.write(output)
        n, groups, chosen = whole.n, None, whole.mechanism
    else:
        check_folder(output)
        counted = read_counts(sources, by, survey) if counts else read_groups(sources, by, agreed)
        if not counted:
            raise InvalidInput(
                "the inputs", "tally", "not without reports, where --by is given", sources
            )
        write_folder(output, by, counted)
        n, chosen = sum(t.n for t in counted.values()), next(iter(counted.values())).mechanism
        groups = [{"group": group, "reports": t.n} for group, t in counted.items()]
    if as_json:
        result = {"reports": n, "output": output, "by": by, "groups": groups}
        show_json({**result, "mechanism": describe(chosen)})
    elif output != STDOUT:
        told = "" if groups is None else f" in {len(groups)} groups"
        say(f"{n:,} reports of {chosen}{told}, tallied in {output}")
