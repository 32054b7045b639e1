// Runs a plugin as opencode does: one event on standard input. Exit code 0: the call runs, 2: it was stopped,
// 3: there is no plugin, and the call runs. `mcp` in the event are the servers that opencode would know of.
import { pathToFileURL } from "node:url"
import { text } from "node:stream/consumers"

const [file, directory] = process.argv.slice(2)
const { tool, args, session_id, mcp } = JSON.parse(await text(process.stdin))
const client = mcp && { mcp: { status: async () => ({ data: mcp }) } }
let hooks
try {
  const { Policyc } = await import(pathToFileURL(file))
  hooks = await Policyc({ directory, worktree: directory, client })
} catch (error) {
  process.stderr.write(`the plugin cannot be loaded: ${error.message}`)
  process.exit(3)
}
const output = { args }
try {
  await hooks["tool.execute.before"]?.({ tool, sessionID: session_id, callID: "c" }, output)
  process.stdout.write(JSON.stringify(output))
} catch (error) {
  process.stderr.write(String(error.message))
  process.exitCode = 2
}
