"""Every table of the store, once. Migrations (`migrations/`) bring a database to exactly this.

Times are whole microseconds since the epoch (UTC), money is whole cents. Lists and objects that are shown and
never searched are JSON in a text column, so that both databases keep them the same.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    text,
)

metadata = MetaData()

# SQLite gives row numbers only to a column that is INTEGER by name.
_Number = BigInteger().with_variant(Integer, "sqlite")

#: One row per evaluation. `seq` is the order in which rows were committed: what pages and streams go by.
events = Table(
    "events",
    metadata,
    Column("seq", _Number, primary_key=True, autoincrement=True),
    Column("id", String(36), nullable=False, unique=True),
    Column("at", BigInteger, nullable=False),
    Column("surface", String(64), nullable=False),
    Column("stage", String(16), nullable=False),
    Column("agent", String(200)),
    Column("key", String(64)),
    Column("run", String(200)),
    Column("session", String(200)),
    Column("environment_id", String(200)),
    Column("tool", String(200), nullable=False),
    Column("verdict", String(16), nullable=False),
    Column("would_be", String(16)),
    Column("rule", Text),
    Column("policy", Text),
    Column("revision", String(128), nullable=False),
    Column("version", BigInteger),
    Column("reason", Text, nullable=False),
    Column("reason_code", Text, nullable=False),
    Column("risk_factors", Text, nullable=False),
    Column("latency_us", Integer, nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("args", Text, nullable=False),
    Column("call_id", String(200)),
    Column("outcome", String(16)),
    Column("error", Text),
    Index("events_at", "at"),
    Index("events_run", "run", "seq"),
    Index("events_agent", "agent", "seq"),
    Index("events_verdict", "verdict", "seq"),
    Index("events_rule", "policy", "rule", "seq"),
    Index("events_call", "call_id"),
    Index("events_fingerprint", "fingerprint", "seq"),
    Index("events_environment", "environment_id", "seq"),
    # A number never comes twice, also once the newest event was deleted: streams and exports go on after one.
    sqlite_autoincrement=True,
)

#: Events by run id, kept up with each batch, so that a list of runs reads no events.
runs = Table(
    "runs",
    metadata,
    Column("run", String(200), primary_key=True),
    Column("agent", String(200)),
    Column("first_at", BigInteger, nullable=False),
    Column("last_at", BigInteger, nullable=False),
    Column("allow", BigInteger, nullable=False),
    Column("audit", BigInteger, nullable=False),
    Column("sanitize", BigInteger, nullable=False),
    Column("deny", BigInteger, nullable=False),
    Column("pending_approval", BigInteger, nullable=False),
    Index("runs_last_at", "last_at"),
)

#: How often a rule decided (rule "" is the default verdict), by what it said or, in shadow, would have said.
rule_hits = Table(
    "rule_hits",
    metadata,
    Column("policy", String(200), primary_key=True),
    Column("rule", String(500), primary_key=True),
    Column("verdict", String(16), primary_key=True),
    Column("would_be", String(16), primary_key=True),
    Column("agent", String(200), primary_key=True),
    Column("tool", String(200), primary_key=True),
    Column("count", BigInteger, nullable=False),
    Column("last_at", BigInteger, nullable=False),
)

#: Decisions by minute and verdict.
minutes = Table(
    "minutes",
    metadata,
    Column("minute", BigInteger, primary_key=True),
    Column("verdict", String(16), primary_key=True),
    Column("count", BigInteger, nullable=False),
)

#: A hold and what became of it. `args` is the whole call and is emptied when the hold is over.
approvals = Table(
    "approvals",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("state", String(16), nullable=False),
    # Why it expired.
    Column("cause", String(16)),
    # What makes two holds the same; unique while one is open, for each wording of the rule.
    Column("hold", String(64), nullable=False),
    Column("key", String(64)),
    Column("agent", String(200)),
    Column("run", String(200)),
    Column("session", String(200)),
    Column("surface", String(64), nullable=False),
    Column("stage", String(16), nullable=False),
    Column("tool", String(200), nullable=False),
    Column("policy", Text, nullable=False),
    Column("rule", Text, nullable=False),
    # Digest of the rule as it stood, and the revision that had it.
    Column("rule_digest", String(64), nullable=False),
    Column("revision", String(128), nullable=False),
    Column("source", Text),
    Column("reason", Text, nullable=False),
    Column("reason_code", Text, nullable=False),
    Column("risk_factors", Text, nullable=False),
    Column("approvers", Text, nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("args", Text),
    Column("args_masked", Text, nullable=False),
    # What the rules see beside the arguments, as JSON.
    Column("context", Text, nullable=False),
    Column("nonce", String(64), nullable=False),
    Column("opened_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("decided_at", BigInteger),
    Column("decided_by", String(200)),
    Column("decided_from", String(200)),
    Column("comment", Text),
    Column("consumed_at", BigInteger),
    # The attempt that used it (tool_use_id, generation_id): the same attempt may ask again.
    Column("consumed_by", String(200)),
    Index(
        "approvals_open",
        "hold",
        "rule_digest",
        unique=True,
        sqlite_where=text("state = 'pending'"),
        postgresql_where=text("state = 'pending'"),
    ),
    Index("approvals_state", "state", "opened_at"),
    Index("approvals_match", "fingerprint", "state"),
    Index("approvals_run", "run", "state"),
)

#: Who did what to a hold, when, from where and why. Rows are only added.
approval_log = Table(
    "approval_log",
    metadata,
    Column("seq", _Number, primary_key=True, autoincrement=True),
    Column("approval", String(36), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("action", String(32), nullable=False),
    Column("by", String(200)),
    Column("from", String(200)),
    Column("why", Text),
    Index("approval_log_approval", "approval", "seq"),
)

#: Webhook deliveries that are due, tried or done.
deliveries = Table(
    "deliveries",
    metadata,
    Column("seq", _Number, primary_key=True, autoincrement=True),
    Column("approval", String(36), nullable=False),
    Column("event", String(64), nullable=False),
    Column("url", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_at", BigInteger),
    Column("delivered_at", BigInteger),
    Column("error", Text),
    Index("deliveries_due", "due_at"),
)

#: API keys by the hash of their secret. `agent` is the name that calls made with the key have.
keys = Table(
    "keys",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("role", String(16), nullable=False),
    Column("agent", String(200)),
    Column("policy", String(200)),
    Column("hash", String(64), nullable=False, unique=True),
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
)

#: Sessions of the console, by the hash of the cookie; `key` is the hash of the key's secret.
sessions = Table(
    "sessions",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("key", String(64), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
)

#: Switches that outlive restarts; `lockdown` is the only one.
switches = Table(
    "switches",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("is_on", Boolean, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("by", String(200)),
    Column("why", Text),
)

#: Budgets: calls counted in a window, and cents spent by a run. `scope` names rule, agent, run or tool.
counters = Table(
    "counters",
    metadata,
    Column("scope", String(64), primary_key=True),
    Column("window", BigInteger, primary_key=True),
    Column("count", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Index("counters_expires", "expires_at"),
)

#: How far a run has come in a rule's sequence.
sequences = Table(
    "sequences",
    metadata,
    Column("scope", String(64), primary_key=True),
    Column("step", Integer, primary_key=True),
    Column("at", BigInteger, nullable=False),
)

#: Tools of MCP servers as they were first seen or last accepted, and what they changed into since.
mcp_tools = Table(
    "mcp_tools",
    metadata,
    Column("server", String(64), primary_key=True),
    Column("tool", String(500), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("definition", Text, nullable=False),
    Column("first_seen", BigInteger, nullable=False),
    Column("accepted_at", BigInteger, nullable=False),
    Column("accepted_by", String(200)),
    Column("changed_fingerprint", String(64)),
    Column("changed_definition", Text),
    Column("changed_at", BigInteger),
)

#: Secrets that all processes on one store share, such as the one of fingerprints.
secrets = Table(
    "secrets",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("value", LargeBinary, nullable=False),
)

#: How far each export has come, and which process does it until when.
cursors = Table(
    "cursors",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("holder", String(36)),
    Column("held_until", BigInteger, nullable=False),
)

#: Every serving process, with what it serves; a row that is not renewed belongs to one that ended.
workers = Table(
    "workers",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("host", String(200), nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    Column("status", Text, nullable=False),
)
