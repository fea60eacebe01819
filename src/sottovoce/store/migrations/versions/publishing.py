"""Publications, with the surveys that were published before; publishers and signatures of surveys."""

from __future__ import annotations

import hashlib

import sqlalchemy as sa
from alembic import op

from sottovoce.base.canonical import canonical_json
from sottovoce.surveys.publications import EMPTY, Publication

revision = "2"
down_revision = "1"
branch_labels = None
depends_on = None

_Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Begin the log with what is there, in the order in which it was published."""
    for name in ("publisher", "signature"):
        op.add_column("surveys", sa.Column(name, sa.Text))
    publications = op.create_table(
        "publications",
        sa.Column("number", _Number, nullable=False, autoincrement=False),
        sa.Column("entry", sa.Text, nullable=False),
        sa.Column("head", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_publications"),
    )
    head, rows = EMPTY, []
    documents = op.get_bind().execute(sa.text("SELECT document FROM surveys ORDER BY number"))
    for (document,) in documents.all():
        entry = Publication.after(head, hashlib.sha256(document.encode()).hexdigest())
        head = entry.head
        text = canonical_json(entry.document())
        rows.append({"number": entry.index, "entry": text, "head": head.head})
    op.bulk_insert(publications, rows)
