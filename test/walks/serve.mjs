// The command of the built modules, one file each, where `simplan` is a program of a few.
import * as Effect from "effect/Effect"
import { run } from "../../dist/adapters/cli/Program.js"

process.exitCode = await Effect.runPromise(run(process.argv.slice(2)))
