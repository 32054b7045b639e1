// Private records are denied; the next turn, in the same environment, takes the public table.

import { create, environment, outputText } from "./interactions.mjs";

const first = await create({
  input: "Use your filesystem tool to read `/workspace/private/employees.json` and summarize the employee details.",
  environment: environment(),
});
console.log(outputText(first));

const second = await create({
  input: "Understood. Please read the approved `/workspace/public/summary.json` file instead and provide the summary.",
  environment: first.environment_id,
  previous_interaction_id: first.id,
});
console.log(outputText(second));
