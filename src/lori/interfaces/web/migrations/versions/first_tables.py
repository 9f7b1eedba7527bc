"""The first tables."""

import sqlalchemy as sql
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "settings",
        sql.Column("name", sql.String(40), primary_key=True),
        sql.Column("value", sql.Text, nullable=False),
    )
    op.create_table(
        "respondents",
        sql.Column("id", sql.Integer, primary_key=True),
        sql.Column("token", sql.String(64), nullable=False, unique=True),
        sql.Column("seed", sql.Integer, nullable=False),
        sql.Column("name", sql.Text, nullable=False),
        sql.Column("made_at", sql.Float, nullable=False),
        sql.Column("expires_at", sql.Float),
        sql.Column("consented_at", sql.Float),
        sql.Column("finished_at", sql.Float),
        sql.Column("result", sql.Text, nullable=False),
        sql.Column("belief", sql.Text, nullable=False),
    )
    op.create_table(
        "turns",
        sql.Column("respondent", sql.Integer, sql.ForeignKey("respondents.id", ondelete="CASCADE"), primary_key=True),
        sql.Column("number", sql.Integer, primary_key=True, autoincrement=False),
        sql.Column("left", sql.Text, nullable=False),
        sql.Column("right", sql.Text, nullable=False),
        sql.Column("repeats", sql.Integer),
        sql.Column("asked_at", sql.Float, nullable=False),
        sql.Column("answer", sql.String(8)),
        sql.Column("answered_at", sql.Float),
    )
    op.create_table(
        "analyses",
        sql.Column("id", sql.Integer, primary_key=True),
        sql.Column("made_at", sql.Float, nullable=False),
        sql.Column("answers", sql.Integer, nullable=False),
        sql.Column("by_agent", sql.Text, nullable=False),
        sql.Column("report", sql.Text, nullable=False),
    )


def downgrade() -> None:
    for name in ("analyses", "turns", "respondents", "settings"):
        op.drop_table(name)
