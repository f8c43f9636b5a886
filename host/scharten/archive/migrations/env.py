"""Alembic's way into the archive: the connection is handed over by `archive.upgrade`."""

from alembic import context

from scharten.archive.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    transaction_per_migration=True,
)
with context.begin_transaction():
    context.run_migrations()
