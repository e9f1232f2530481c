#!/usr/bin/env node
/**
 * The entry of the command `simplan`.
 */
import { Effect } from "effect"
import * as Program from "./Program.ts"

const code = await Effect.runPromise(Program.run(process.argv.slice(2)))

// What was written goes out before the process does.
process.stdout.write("", () => process.stderr.write("", () => process.exit(code)))
