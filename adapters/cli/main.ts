#!/usr/bin/env node
/**
 * The entry of the command `simplan`.
 */
import "./server/Heap.ts"
import { Effect } from "effect"
import * as Program from "./Program.ts"

// Without this, a process that waits for nothing would exit with code 0 although the command is not done.
const onStranded = (): void => {
  process.stderr.write("simplan waits for something that will never come, which is a defect in it.\n")
  process.exit(1)
}

process.once("beforeExit", onStranded)
const code = await Effect.runPromise(Program.run(process.argv.slice(2)))
process.off("beforeExit", onStranded)

// Flushes both streams before the exit.
process.stdout.write("", () => process.stderr.write("", () => process.exit(code)))
