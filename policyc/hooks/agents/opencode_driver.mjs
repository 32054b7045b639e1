// Runs a plugin as opencode does: one event on standard input. Exit code 0: the call runs, 2: it was stopped.
import { pathToFileURL } from "node:url"
import { text } from "node:stream/consumers"

const [file, directory] = process.argv.slice(2)
const event = await text(process.stdin)
try {
  const { Policyc } = await import(pathToFileURL(file))
  const hooks = await Policyc({ directory, worktree: directory })
  const { tool, args, session_id } = JSON.parse(event)
  const output = { args }
  await hooks["tool.execute.before"]({ tool, sessionID: session_id, callID: "c" }, output)
  process.stdout.write(JSON.stringify(output))
} catch (error) {
  process.stderr.write(String(error.message))
  process.exitCode = 2
}
