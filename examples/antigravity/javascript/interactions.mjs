// The Interactions API with Node's own fetch: GEMINI_API_KEY, and GEMINI_BASE_URL for another server.

import { readFileSync } from "node:fs";

const AGENT = "antigravity-preview-05-2026";
const BASE = process.env.GEMINI_BASE_URL ?? "https://generativelanguage.googleapis.com";

// What `policyc hooks sources` wrote to standard input.
export const environment = () => JSON.parse(readFileSync(0, "utf8"));

// The interaction, when it is done.
export const create = async (request) => (await post(request)).json();

// The events of the interaction as they happen.
export async function* stream(request) {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of (await post({ ...request, stream: true })).body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop();
    const data = lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice(6).trim());
    yield* data.filter((text) => text !== "[DONE]").map((text) => JSON.parse(text));
  }
}

// What the model said.
export const outputText = ({ steps }) =>
  steps
    .filter(({ type }) => type === "model_output")
    .flatMap(({ content }) => content.map(({ text }) => text ?? ""))
    .join("");

async function post(request) {
  const response = await fetch(`${BASE}/v1beta/interactions`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "x-goog-api-key": process.env.GEMINI_API_KEY,
      "Api-Revision": "2026-05-20", // the revision that answers in steps
    },
    body: JSON.stringify({ agent: AGENT, ...request }),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  return response;
}
