"""A counter of payloads scrubbed, so that a window with none left need not be gone through."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the counter, and count what was scrubbed before."""
    added = sa.Column("scrubbed", sa.BigInteger, nullable=False, server_default="0")
    op.add_column("windows", added)
    op.execute(
        """UPDATE windows SET scrubbed = (SELECT count(*) FROM reports
        WHERE reports.survey = windows.survey AND reports."window" = windows.number AND state = 1)"""
    )
