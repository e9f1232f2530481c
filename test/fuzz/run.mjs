// Requests at random, built from the service's document, for a given time:
//
//     npm run test:fuzz -- --seconds 60
//
// Half of the time on memory and half of it on PostgreSQL. An answer that the document does not
// describe is printed with the fewest requests that lead to it, and so is what does not hold
// afterwards; the exit code is then 1. Options: --seconds (60), --seed (by the time of day).
import { parseArgs } from "node:util"
import * as Long from "../setup/long.mjs"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: Long.seedOfNow() }
  }
})

Long.wholeNumbers(values)
await Long.run("fuzz", { FUZZ_MILLIS: String((Number(values.seconds) * 1_000) / 2), FUZZ_SEED: values.seed })
