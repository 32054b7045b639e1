"""The first schema.

Revision ID: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "approval_log",
        sa.Column(
            "seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("approval", sa.String(length=36), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("action", sa.String(length=32), nullable=False),
        sa.Column("by", sa.String(length=200), nullable=True),
        sa.Column("from", sa.String(length=200), nullable=True),
        sa.Column("why", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("seq"),
    )
    op.create_index("approval_log_approval", "approval_log", ["approval", "seq"], unique=False)
    op.create_table(
        "approvals",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("cause", sa.String(length=16), nullable=True),
        sa.Column("hold", sa.String(length=64), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=True),
        sa.Column("agent", sa.String(length=200), nullable=True),
        sa.Column("run", sa.String(length=200), nullable=True),
        sa.Column("session", sa.String(length=200), nullable=True),
        sa.Column("surface", sa.String(length=64), nullable=False),
        sa.Column("stage", sa.String(length=16), nullable=False),
        sa.Column("tool", sa.String(length=200), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("rule_digest", sa.String(length=64), nullable=False),
        sa.Column("revision", sa.String(length=128), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("reason_code", sa.Text(), nullable=False),
        sa.Column("risk_factors", sa.Text(), nullable=False),
        sa.Column("approvers", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("args", sa.Text(), nullable=True),
        sa.Column("args_masked", sa.Text(), nullable=False),
        sa.Column("context", sa.Text(), nullable=False),
        sa.Column("nonce", sa.String(length=64), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("decided_at", sa.BigInteger(), nullable=True),
        sa.Column("decided_by", sa.String(length=200), nullable=True),
        sa.Column("decided_from", sa.String(length=200), nullable=True),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("consumed_at", sa.BigInteger(), nullable=True),
        sa.Column("consumed_by", sa.String(length=200), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("approvals_match", "approvals", ["fingerprint", "state"], unique=False)
    op.create_index(
        "approvals_open",
        "approvals",
        ["hold"],
        unique=True,
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_index("approvals_run", "approvals", ["run", "state"], unique=False)
    op.create_index("approvals_state", "approvals", ["state", "opened_at"], unique=False)
    op.create_table(
        "counters",
        sa.Column("scope", sa.String(length=64), nullable=False),
        sa.Column("window", sa.BigInteger(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("scope", "window"),
    )
    op.create_index("counters_expires", "counters", ["expires_at"], unique=False)
    op.create_table(
        "cursors",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("holder", sa.String(length=36), nullable=True),
        sa.Column("held_until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "deliveries",
        sa.Column(
            "seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("approval", sa.String(length=36), nullable=False),
        sa.Column("event", sa.String(length=64), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("delivered_at", sa.BigInteger(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("seq"),
    )
    op.create_index("deliveries_due", "deliveries", ["due_at"], unique=False)
    op.create_table(
        "events",
        sa.Column(
            "seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("surface", sa.String(length=64), nullable=False),
        sa.Column("stage", sa.String(length=16), nullable=False),
        sa.Column("agent", sa.String(length=200), nullable=True),
        sa.Column("key", sa.String(length=64), nullable=True),
        sa.Column("run", sa.String(length=200), nullable=True),
        sa.Column("session", sa.String(length=200), nullable=True),
        sa.Column("environment_id", sa.String(length=200), nullable=True),
        sa.Column("tool", sa.String(length=200), nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=False),
        sa.Column("would_be", sa.String(length=16), nullable=True),
        sa.Column("rule", sa.Text(), nullable=True),
        sa.Column("policy", sa.Text(), nullable=True),
        sa.Column("revision", sa.String(length=128), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("reason_code", sa.Text(), nullable=False),
        sa.Column("risk_factors", sa.Text(), nullable=False),
        sa.Column("latency_us", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("args", sa.Text(), nullable=False),
        sa.Column("call_id", sa.String(length=200), nullable=True),
        sa.Column("outcome", sa.String(length=16), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("seq"),
        sa.UniqueConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("events_agent", "events", ["agent", "seq"], unique=False)
    op.create_index("events_at", "events", ["at"], unique=False)
    op.create_index("events_call", "events", ["call_id"], unique=False)
    op.create_index("events_environment", "events", ["environment_id", "seq"], unique=False)
    op.create_index("events_fingerprint", "events", ["fingerprint", "seq"], unique=False)
    op.create_index("events_rule", "events", ["policy", "rule", "seq"], unique=False)
    op.create_index("events_run", "events", ["run", "seq"], unique=False)
    op.create_index("events_verdict", "events", ["verdict", "seq"], unique=False)
    op.create_table(
        "keys",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("agent", sa.String(length=200), nullable=True),
        sa.Column("policy", sa.String(length=200), nullable=True),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("hash"),
    )
    op.create_table(
        "mcp_tools",
        sa.Column("server", sa.String(length=64), nullable=False),
        sa.Column("tool", sa.String(length=500), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("definition", sa.Text(), nullable=False),
        sa.Column("first_seen", sa.BigInteger(), nullable=False),
        sa.Column("accepted_at", sa.BigInteger(), nullable=False),
        sa.Column("accepted_by", sa.String(length=200), nullable=True),
        sa.Column("changed_fingerprint", sa.String(length=64), nullable=True),
        sa.Column("changed_definition", sa.Text(), nullable=True),
        sa.Column("changed_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("server", "tool"),
    )
    op.create_table(
        "minutes",
        sa.Column("minute", sa.BigInteger(), nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("minute", "verdict"),
    )
    op.create_table(
        "rule_hits",
        sa.Column("policy", sa.String(length=200), nullable=False),
        sa.Column("rule", sa.String(length=500), nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=False),
        sa.Column("would_be", sa.String(length=16), nullable=False),
        sa.Column("agent", sa.String(length=200), nullable=False),
        sa.Column("tool", sa.String(length=200), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("policy", "rule", "verdict", "would_be", "agent", "tool"),
    )
    op.create_table(
        "runs",
        sa.Column("run", sa.String(length=200), nullable=False),
        sa.Column("agent", sa.String(length=200), nullable=True),
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.Column("allow", sa.BigInteger(), nullable=False),
        sa.Column("audit", sa.BigInteger(), nullable=False),
        sa.Column("sanitize", sa.BigInteger(), nullable=False),
        sa.Column("deny", sa.BigInteger(), nullable=False),
        sa.Column("pending_approval", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("run"),
    )
    op.create_index("runs_last_at", "runs", ["last_at"], unique=False)
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "sequences",
        sa.Column("scope", sa.String(length=64), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("scope", "step"),
    )
    op.create_table(
        "sessions",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hash"),
    )
    op.create_table(
        "switches",
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("by", sa.String(length=200), nullable=True),
        sa.Column("why", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "workers",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("host", sa.String(length=200), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
