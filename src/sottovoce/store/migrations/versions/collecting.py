"""Meta, surveys, windows, reports, changes, tallies, releases, tokens, refusals."""

from __future__ import annotations

import os

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None
branch_labels = None
depends_on = None

_Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=False, server_default="0")


def _window() -> sa.Column[int]:
    return sa.Column("window", _Number, nullable=False, autoincrement=False)


def upgrade() -> None:
    """Make the tables, and the key of this store."""
    meta = op.create_table(
        "meta",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("value", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_meta"),
        sqlite_with_rowid=False,
    )
    op.bulk_insert(meta, [{"name": "id-key", "value": os.urandom(32)}])
    op.create_table(
        "surveys",
        sa.Column("number", _Number, nullable=False),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("upload", sa.Text, nullable=False),
        sa.Column("retention", sa.Integer),
        sa.Column("scrub", sa.Boolean, nullable=False),
        sa.Column("closed", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_surveys"),
        sa.UniqueConstraint("fingerprint", name="uq_surveys_fingerprint"),
    )
    op.create_table(
        "windows",
        sa.Column("number", _Number, nullable=False),
        sa.Column("survey", _Number, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        _count("stored"),
        _count("duplicates"),
        _count("deleted"),
        _count("expired"),
        sa.Column("over", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("cleared", sa.Boolean, nullable=False, server_default=sa.false()),
        _count("scrubbed"),
        sa.PrimaryKeyConstraint("number", name="pk_windows"),
        sa.ForeignKeyConstraint(["survey"], ["surveys.number"], name="fk_windows_survey"),
        sa.UniqueConstraint("survey", "name", name="uq_windows_survey_name"),
        sa.UniqueConstraint("survey", "number", name="uq_windows_survey_number"),
    )
    op.create_table(
        "reports",
        sa.Column("survey", _Number, nullable=False, autoincrement=False),
        sa.Column("id_hash", sa.LargeBinary(16), nullable=False),
        _window(),
        sa.Column("state", sa.SmallInteger, nullable=False),
        sa.Column("row", sa.LargeBinary),
        sa.PrimaryKeyConstraint("survey", "id_hash", name="pk_reports"),
        sa.ForeignKeyConstraint(
            ["survey", "window"],
            ["windows.survey", "windows.number"],
            name="fk_reports_survey_window",
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "changes",
        sa.Column("number", _Number, nullable=False),
        _window(),
        sa.Column("sign", sa.SmallInteger, nullable=False),
        sa.Column("reports", sa.Integer, nullable=False),
        sa.Column("rows", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_changes"),
        sa.ForeignKeyConstraint(["window"], ["windows.number"], name="fk_changes_window"),
    )
    op.create_table(
        "tallies",
        _window(),
        sa.Column("folds", sa.BigInteger, nullable=False),
        sa.Column("n", sa.BigInteger, nullable=False),
        sa.Column("cells", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("window", name="pk_tallies"),
        sa.ForeignKeyConstraint(["window"], ["windows.number"], name="fk_tallies_window"),
    )
    op.create_table(
        "releases",
        _window(),
        _count("step"),
        _count("n"),
        _count("added"),
        sa.Column("cells", sa.LargeBinary),
        sa.PrimaryKeyConstraint("window", name="pk_releases"),
        sa.ForeignKeyConstraint(["window"], ["windows.number"], name="fk_releases_window"),
    )
    op.create_table(
        "waiting",
        sa.Column("number", _Number, nullable=False),
        _window(),
        sa.Column("reports", sa.Integer, nullable=False),
        sa.Column("rows", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_waiting"),
        sa.ForeignKeyConstraint(["window"], ["windows.number"], name="fk_waiting_window"),
    )
    op.create_table(
        "tokens",
        _window(),
        sa.Column("token", sa.LargeBinary(32), nullable=False),
        sa.Column("used", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("window", "token", name="pk_tokens"),
        sa.ForeignKeyConstraint(["window"], ["windows.number"], name="fk_tokens_window"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "refusals",
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        _count("reports"),
        sa.PrimaryKeyConstraint("fingerprint", "code", name="pk_refusals"),
        sqlite_with_rowid=False,
    )
