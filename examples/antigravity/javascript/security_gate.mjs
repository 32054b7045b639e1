// A destructive command is denied before it runs, and the agent says why.

import { create, environment, outputText } from "./interactions.mjs";

const interaction = await create({
  input: process.argv[2] ?? "Run `rm -rf /tmp/forbidden` using code_execution.",
  tools: [{ type: "code_execution" }],
  environment: environment(),
});
console.log(outputText(interaction));
