"""``sottovoce sql``: the query that counts or estimates where the reports already are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sottovoce.cli.shared.exits import guarded
from sottovoce.cli.shared.options import AsJson, describe
from sottovoce.cli.shared.screen import show_json
from sottovoce.engines.sql.dialects import DIALECTS
from sottovoce.engines.sql.estimate_query import estimate_sql
from sottovoce.engines.sql.tally_query import tally_sql
from sottovoce.surveys.toml import read_survey

__all__ = ["sql"]


@guarded
def sql(
    *,
    survey: Annotated[
        Path,
        typer.Argument(metavar="SURVEY", help="A survey, as TOML or as its canonical JSON."),
    ],
    table: Annotated[
        str,
        typer.Option(
            "--table",
            metavar="NAME",
            help="The table of reports, such as lake.reports; a part with a dot of its own goes in "
            "double quotes.",
        ),
    ],
    by: Annotated[
        list[str] | None,
        typer.Option("--by", metavar="COLUMN", help="A public column to group by. Repeatable."),
    ] = None,
    dialect: Annotated[
        str,
        typer.Option("--dialect", metavar="NAME", help=f"The database: {', '.join(DIALECTS)}."),
    ] = "duckdb",
    shares: Annotated[
        bool,
        typer.Option(
            "--shares",
            help="Estimate the shares in SQL too: unbiased, with standard errors. Groups below the "
            "minimum batch have no rows.",
        ),
    ] = False,
    about: Annotated[
        str,
        typer.Option(
            "--about",
            metavar="WHOM",
            help="With --shares: whom the standard errors are about, respondents or population.",
        ),
    ] = "respondents",
    as_json: AsJson = False,
) -> None:
    """Print a query that counts reports in a database, or with --shares estimates there.

    Nothing is sent anywhere: run the query yourself, save its result as CSV or Parquet, and give
    that to `tally --counts`.
    """
    agreed, groups = read_survey(survey), by or []
    if shares:
        query = estimate_sql(agreed, table, groups, dialect, about)
    else:
        query = tally_sql(agreed, table, groups, dialect)
    if as_json:
        options = {"table": table, "by": groups, "dialect": dialect, "shares": shares}
        show_json({"query": query, **options, "mechanism": describe(agreed.mechanism)})
    else:
        typer.echo(query)
