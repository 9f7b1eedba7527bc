"""Migrations: run by `lori.interfaces.web.tables.connect` within its own transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
