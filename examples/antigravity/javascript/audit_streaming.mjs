// Every file that the agent touches is reported to a telemetry server, while the turn is streamed here.

import { environment, stream } from "./interactions.mjs";

const events = stream({
  input:
    "Use your filesystem tool to create `/workspace/audit.log` containing 'event 1', then immediately read it " +
    "back using your filesystem read tool.",
  environment: environment(),
});
for await (const { event_type: type, step, delta } of events) {
  console.log(type, step?.type ?? "", step?.name ?? "", delta?.text ?? "");
}
