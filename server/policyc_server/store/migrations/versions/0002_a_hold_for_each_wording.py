"""A hold for each wording of its rule: replicas may serve two.

Revision ID: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    is_pending = sa.text("state = 'pending'")
    op.drop_index("approvals_open", "approvals")
    op.create_index(
        "approvals_open",
        "approvals",
        ["hold", "rule_digest"],
        unique=True,
        sqlite_where=is_pending,
        postgresql_where=is_pending,
    )
