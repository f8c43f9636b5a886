"""Alembic's way into the archive: the connection is handed over by `archive.store`."""

from alembic import context

from scharten.archive.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
with context.begin_transaction():
    context.run_migrations()
