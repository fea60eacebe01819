"""Runs migrations on the connection, and within the transaction, that open_store gives."""

from __future__ import annotations

from alembic import context


def run() -> None:
    """Run those that are due."""
    connection = context.config.attributes["connection"]
    context.configure(connection=connection, transactional_ddl=True)
    context.run_migrations()


if __name__ == "env_py":  # the name under which Alembic loads this file
    run()
