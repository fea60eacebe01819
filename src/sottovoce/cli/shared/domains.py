"""What a value may be, told by options: names, whole numbers, numbers in bins, or keys with numbers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from sottovoce.base.errors import InvalidInput
from sottovoce.domains.base import Domain
from sottovoce.domains.categories import Categories
from sottovoce.domains.choices import Choices
from sottovoce.domains.counts import Counts
from sottovoce.domains.dates import Dates
from sottovoce.domains.interval import DEFAULT_BINS, Interval
from sottovoce.domains.key_values import KeyValues
from sottovoce.domains.may_decline import MayDecline
from sottovoce.domains.parsing import split_list, whole_number
from sottovoce.domains.ratings import Ratings
from sottovoce.domains.yes_no import YesNo

__all__ = ["Bins", "DomainOptions", "High", "Low", "PlainDomainOptions"]

_DOMAIN = "What a value may be (names, whole numbers, numbers in bins, or keys with numbers)"


Low = Annotated[
    float | None,
    typer.Option(
        "--low",
        metavar="X",
        rich_help_panel=_DOMAIN,
        help="Numbers from this one, with --high.",
    ),
]
High = Annotated[
    float | None,
    typer.Option(
        "--high",
        metavar="X",
        rich_help_panel=_DOMAIN,
        help="Numbers up to this one, with --low.",
    ),
]
Bins = Annotated[
    int | None,
    typer.Option(
        "--bins",
        metavar="N",
        rich_help_panel=_DOMAIN,
        help="How many equal bins numbers are seen through, with --low and --high; 256 if not given, "
        "with keys 64.",
    ),
]


@dataclass(frozen=True)
class PlainDomainOptions:
    """Values that are no pairs."""

    values: Annotated[
        str | None,
        typer.Option(
            "--values",
            metavar="A,B,C",
            rich_help_panel=_DOMAIN,
            help="Named values, with commas between them; quote a value that has a comma.",
        ),
    ] = None
    values_file: Annotated[
        Path | None,
        typer.Option(
            "--values-from-file",
            metavar="FILE",
            rich_help_panel=_DOMAIN,
            help="Named values, one a line of this UTF-8 file.",
        ),
    ] = None
    yes_no: Annotated[
        bool | None,
        typer.Option(
            "--yes-no",
            rich_help_panel=_DOMAIN,
            help="The answers yes and no; true and false in a file are read as these.",
        ),
    ] = None
    size: Annotated[
        int | None,
        typer.Option(
            "--size", metavar="N", rich_help_panel=_DOMAIN, help="Whole numbers from 0 to N - 1."
        ),
    ] = None
    most: Annotated[
        int | None,
        typer.Option(
            "--most",
            metavar="N",
            rich_help_panel=_DOMAIN,
            help="How many, from 0 to N: whole numbers in order, with a mean, such as degrees of a graph.",
        ),
    ] = None
    ratings: Annotated[
        tuple[int, int] | None,
        typer.Option(
            "--ratings",
            metavar="LOW HIGH",
            rich_help_panel=_DOMAIN,
            help="Whole numbers from LOW to HIGH, in order, with a mean, such as ratings from 1 to 5.",
        ),
    ] = None
    choices: Annotated[
        str | None,
        typer.Option(
            "--choices",
            metavar="A,B,C",
            rich_help_panel=_DOMAIN,
            help='Tick all that apply, out of these options; in a file, options with ; between them, or "none of these".',
        ),
    ] = None
    boxes: Annotated[
        int | None,
        typer.Option(
            "--boxes",
            metavar="N",
            rich_help_panel=_DOMAIN,
            help="With --choices: how many a person may tick at most; 3 if not given.",
        ),
    ] = None
    sensitive: Annotated[
        str | None,
        typer.Option(
            "--sensitive",
            metavar="A,B",
            rich_help_panel=_DOMAIN,
            help="With named values or --size: those that must be protected, where a mechanism such as urr may "
            "reveal the others.",
        ),
    ] = None
    dates: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--dates",
            metavar="FIRST LAST",
            rich_help_panel=_DOMAIN,
            help="Dates from FIRST to LAST, such as 2026-01-01 2026-12-31.",
        ),
    ] = None
    step: Annotated[
        str | None,
        typer.Option(
            "--step",
            metavar="STEP",
            rich_help_panel=_DOMAIN,
            help="What dates are seen through: day, week, month, quarter or year; day if not given.",
        ),
    ] = None
    low: Low = None
    high: High = None
    bins: Bins = None
    edges: Annotated[
        str | None,
        typer.Option(
            "--edges",
            metavar="X,Y,Z",
            rich_help_panel=_DOMAIN,
            help="Edges of bins of any widths, from the least number to the greatest, in place of --low, "
            "--high and --bins.",
        ),
    ] = None
    log_start: Annotated[
        float | None,
        typer.Option(
            "--log",
            metavar="X",
            rich_help_panel=_DOMAIN,
            help="Bins equal in the logarithm, the first one from 0 to X; with --low above 0, X is that number.",
        ),
    ] = None
    open_end: Annotated[
        bool | None,
        typer.Option(
            "--open-end",
            rich_help_panel=_DOMAIN,
            help="One bin more for every number from the greatest on.",
        ),
    ] = None
    unit: Annotated[
        str | None,
        typer.Option(
            "--unit",
            metavar="TEXT",
            rich_help_panel=_DOMAIN,
            help="What numbers are of, such as EUR: shown with answers.",
        ),
    ] = None

    decline: Annotated[
        str | None,
        typer.Option(
            "--decline",
            metavar="TEXT",
            rich_help_panel=_DOMAIN,
            help="One value more, for people who would rather not say, such as 'Prefer not to say'.",
        ),
    ] = None

    @property
    def given(self) -> bool:
        """Whether anything is said about the domain."""
        return any(getattr(self, each.name) is not None for each in fields(self))

    def make(self) -> Domain:
        """The domain, told in exactly one of these ways."""
        self._check_one_way()
        self._check_of_numbers()
        if self.boxes is not None and self.choices is None:
            raise InvalidInput("--boxes", "the command", "left out without --choices", self.boxes)
        found = self._answers() if self.sensitive is None else self._partly_sensitive()
        return found if self.decline is None else MayDecline(found, self.decline)

    def _answers(self) -> Domain:
        """What people answer who do not decline."""
        if self.yes_no:
            return YesNo()
        if self.choices is not None:
            return Choices(split_list(self.choices, "--choices", "the command"), self.boxes)
        return self._ordered() or Categories(self._names() if self.size is None else self.size)

    def _partly_sensitive(self) -> Categories:
        """Values of which some alone must be protected."""
        assert self.sensitive is not None
        if self.decline is not None:
            allowed = "left out with --sensitive: it is one of the values, and a sensitive one"
            raise InvalidInput("--decline", "the command", allowed, self.decline)
        sensitive = split_list(self.sensitive, "--sensitive", "the command")
        if self.size is not None:
            numbers = [_whole(each, "--sensitive") for each in sensitive]
            return Categories(self.size, sensitive=numbers)
        if self.yes_no:
            return Categories(["no", "yes"], sensitive=sensitive)
        if self.values is None and self.values_file is None:
            allowed = "left out but with --values, --values-from-file, --yes-no or --size"
            raise InvalidInput("--sensitive", "the command", allowed, self.sensitive)
        return Categories(self._names(), sensitive=sensitive)

    def _ordered(self) -> Domain | None:
        """The numbers or dates that values are; None where they are categories."""
        if self.most is not None:
            return Counts(self.most, unit=self.unit or "")
        if self.ratings is not None:
            return Ratings(*self.ratings, unit=self.unit or "")
        if self.dates is not None:
            return Dates(*self.dates, step=self.step or "day")
        if self._numbers or self.edges is not None:
            return self._interval()
        return None

    def _check_of_numbers(self) -> None:
        """Refuse options about numbers where values are none."""
        of_bins = self._numbers or self.edges is not None
        of_numbers = of_bins or self.most is not None or self.ratings is not None
        for option, given, fits in (
            ("--log", self.log_start, self._numbers),
            ("--open-end", self.open_end, of_bins),
            ("--unit", self.unit, of_numbers),
            ("--step", self.step, self.dates is not None),
        ):
            if given is not None and not fits:
                allowed = "left out: values are not such numbers or dates"
                raise InvalidInput(option, "the command", allowed, given)

    def _names(self) -> list[str]:
        """The named values, which one of two options has."""
        if self.values is not None:
            return split_list(self.values, "--values", "the command")
        assert self.values_file is not None  # one of the ways was chosen
        return _lines(self.values_file, "--values-from-file")

    @property
    def _numbers(self) -> bool:
        return self.low is not None or self.high is not None or self.bins is not None

    def _check_one_way(self) -> None:
        ways = {
            "--values": self.values is not None,
            "--values-from-file": self.values_file is not None,
            "--yes-no": bool(self.yes_no),
            "--size": self.size is not None,
            "--most": self.most is not None,
            "--ratings": self.ratings is not None,
            "--choices": self.choices is not None,
            "--low, --high": self._numbers,
            "--edges": self.edges is not None,
            "--dates": self.dates is not None,
        }
        chosen = [way for way, given in ways.items() if given]
        if len(chosen) != 1:
            allowed = f"exactly one of {'; '.join(ways)}"
            raise InvalidInput(
                "the domain", "the command", allowed, "; ".join(chosen) or "none of them"
            )

    def _interval(self) -> Interval:
        more: dict[str, Any] = {"open_end": bool(self.open_end), "unit": self.unit or ""}
        if self.edges is not None:
            edges = [_number(item) for item in split_list(self.edges, "--edges", "the command")]
            return Interval(edges[0], edges[-1], edges=edges, **more)
        low, high = self._bounds()
        if self.log_start is not None:
            more |= {"scale": "log", "start": self.log_start if low == 0 else None}
            if low not in (0, self.log_start):
                allowed = f"{low:g}, as --low is" if low > 0 else "left out: --low is below 0"
                raise InvalidInput("--log", "the command", allowed, self.log_start)
        if self.log_start is not None or self.open_end or self.unit:
            return Interval(low, high, self.bins, **more)
        numbers = Interval.agreed(low, high, DEFAULT_BINS if self.bins is None else self.bins)
        if numbers.misleads:
            whole = f"--ratings {low:.0f} {high:.0f}"
            hint = f"Whole numbers are {whole}; for real numbers take more or fewer bins."
            raise numbers.refusal("numbers", hint)
        return numbers

    def _bounds(self) -> tuple[float, float]:
        if self.low is None or self.high is None:
            missing = "--low" if self.low is None else "--high"
            raise InvalidInput(
                missing, "the command", "given when --low, --high or --bins is", None
            )
        return self.low, self.high


@dataclass(frozen=True)
class DomainOptions(PlainDomainOptions):
    """Values of every kind, pairs of keys and numbers too."""

    keys: Annotated[
        str | None,
        typer.Option(
            "--keys",
            metavar="A,B,C",
            rich_help_panel=_DOMAIN,
            help="Keys that numbers come with, with --low and --high: a value is a pair.",
        ),
    ] = None
    keys_file: Annotated[
        Path | None,
        typer.Option(
            "--keys-from-file",
            metavar="FILE",
            rich_help_panel=_DOMAIN,
            help="Keys, one a line of this UTF-8 file.",
        ),
    ] = None
    pairs: Annotated[
        int | None,
        typer.Option(
            "--pairs",
            metavar="N",
            rich_help_panel=_DOMAIN,
            help="A person may hold 1 to N pairs with distinct keys; if not given, exactly one.",
        ),
    ] = None
    larger: Annotated[
        str | None,
        typer.Option(
            "--larger",
            metavar="WORD",
            rich_help_panel=_DOMAIN,
            help="Who holds more than N pairs: refuse, or sample, which draws one of them; refuse if not "
            "given.",
        ),
    ] = None

    def make(self) -> Domain:
        named = self._named()
        if not named:
            return super().make()
        if not self._numbers:
            raise InvalidInput("--low, --high", "the command", "given with keys", None)
        self._check_one_way()
        self._check_of_numbers()
        if self.decline is not None:
            allowed = "left out: pairs of keys and numbers are not declined one by one"
            raise InvalidInput("--decline", "the command", allowed, self.decline)
        low, high = self._bounds()
        more: dict[str, Any] = {} if self.bins is None else {"bins": self.bins}
        larger = self.larger or "refuse"
        return KeyValues(named, low, high, pairs=self.pairs, larger=larger, **more)

    def _named(self) -> list[str]:
        """The names of keys; none where values are not pairs."""
        if self.keys is not None and self.keys_file is not None:
            raise InvalidInput("--keys, --keys-from-file", "the command", "one of the two", "both")
        if self.keys is not None:
            return split_list(self.keys, "--keys", "the command")
        if self.keys_file is not None:
            return _lines(self.keys_file, "--keys-from-file")
        for option, given in (("--pairs", self.pairs), ("--larger", self.larger)):
            if given is not None:
                raise InvalidInput(option, "the command", "left out without --keys", given)
        return []


def _whole(text: str, option: str) -> int:
    try:
        return whole_number(text)
    except ValueError:
        raise InvalidInput(option, "the command", "whole numbers with --size", text) from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidInput("--edges", "the command", "numbers such as 0,10,100", text) from None


def _lines(path: Path, option: str) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").rstrip("\n").split("\n")
    except UnicodeDecodeError as error:
        raise InvalidInput(option, "the command", "UTF-8 text", str(path)) from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            where = f"line {number}"
            raise InvalidInput(where, str(path), "a value; lines must not be blank", line)
    return lines
