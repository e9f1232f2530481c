#!/usr/bin/env node
/**
 * The entry of the command `simplan`.
 *
 * The program is loaded after the flags of V8 are set, and after it is known what to say of a
 * package that is missing: what only the commands and the server need are optional dependencies,
 * which an installation can leave out.
 */
import { setFlagsFromString } from "node:v8"
import * as Start from "./Start.ts"

if (process.argv[2] === "serve") Start.endBySignal()
setFlagsFromString(Start.HEAP_FLAGS)

// Without this, a process that waits for nothing would exit with code 0 although the command is not
// done.
const onStranded = (): void => {
  process.stderr.write("simplan waits for something that will never come, which is a defect in it.\n")
  process.exit(1)
}

const run = async (): Promise<number> => {
  const Effect = await import("effect/Effect")
  const { run } = await import("./Program.ts")
  // A signal from while the modules were loaded ends the process before it has made anything.
  await Start.signalsDelivered()
  return Effect.runPromise(run(process.argv.slice(2)))
}

process.once("beforeExit", onStranded)
const code = await run().catch(Start.reportMissing)
process.off("beforeExit", onStranded)

// Flushes both streams before the exit.
process.stdout.write("", () => process.stderr.write("", () => process.exit(code)))
