#!/usr/bin/env node
/**
 * The entry of the command `simplan`.
 */
import "./server/Heap.ts"
import { Effect } from "effect"
import * as Program from "./Program.ts"

// A process that has nothing left to wait for and is not done would end as if all were well.
const onStranded = (): void => {
  process.stderr.write("simplan waits for something that will never come, which is a defect in it.\n")
  process.exit(1)
}

process.once("beforeExit", onStranded)
const code = await Effect.runPromise(Program.run(process.argv.slice(2)))
process.off("beforeExit", onStranded)

// What was written goes out before the process does.
process.stdout.write("", () => process.stderr.write("", () => process.exit(code)))
