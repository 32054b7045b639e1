"""Every file that the agent touches is reported to a telemetry server, while the turn is streamed here."""

from interactions import environment, stream

events = stream(
    input="Use your filesystem tool to create `/workspace/audit.log` containing 'event 1', then immediately "
    "read it back using your filesystem read tool.",
    environment=environment(),
)
for event in events:
    step, delta = event.get("step", {}), event.get("delta", {})
    print(event["event_type"], step.get("type", ""), step.get("name", ""), delta.get("text", ""))
