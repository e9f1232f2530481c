// Servers under load while things go wrong, for a given time:
//
//     npm run test:faults -- --seconds 300
//
// Prints the seed of each round, what went wrong in it and how much was asked; a round in which
// anything was lost, made up or done twice is reported in sentences, and the exit code is then 1. A
// seed says which faults come in which order; when they meet the load is up to the machine.
// Options: --seconds (120), --seed (by the time of day), --each (how long things go wrong in a
// round, 15 s), --only postgres or pglite (in turns), --telco ocs (a fake charging system, which
// knows no idempotency keys, in place of the simulated telco; PostgreSQL only).
import { parseArgs } from "node:util"
import * as Long from "../setup/long.mjs"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "120" },
    seed: { type: "string", default: Long.seedOfNow() },
    each: { type: "string", default: "15" },
    only: { type: "string", default: "" },
    telco: { type: "string", default: "simulator" }
  }
})

const { each, only, seconds, seed, telco } = values
Long.wholeNumbers({ seconds, seed, each })
await Long.run(
  "faults",
  { FAULTS_SECONDS: seconds, FAULTS_SEED: seed, FAULTS_EACH: each, FAULTS_ONLY: only, FAULTS_TELCO: telco },
  "faults.long"
)
