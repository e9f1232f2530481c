// Attacks on a server, made from its own document, while an innocent client of another organization
// goes on:
//
//     npm run test:hostile -- --seconds 600
//
// For each route requests at the limits of all that it takes, beyond them, with the worst of bodies
// and of headers, by 32 connections that read nothing, slowly, in drips or as they should, or send
// so, with a key, a wrong one and none. On PostgreSQL also reads that cost the database much, over
// tables that were filled: usage, stock, histories, and what operators see. A line for each attack:
// the times of the innocent client's answers, the longest delay of the server's event loop, its
// most memory, and how many requests were sent and connections closed. The exit code is 1 where the
// server dies, an innocent request fails, memory rises by more than 250 MB, an innocent 99th
// percentile is above 500 ms and 20 times the usual one in three attempts, or files, sockets or
// memory are not returned. Options: --seconds (600), --seed (by the time of day), --storage
// postgres, pglite or memory (postgres), --only (part of a route, such as "POST /v3/plans"),
// --operators (who has the admin's and the telco's token attacks too), --short (each route once, by
// all manners at once; times are not judged), --alone (each request by itself; it must not take the
// event loop for more than 50 ms).
import { parseArgs } from "node:util"
import * as Long from "../setup/long.mjs"

const { values } = parseArgs({
  options: {
    seconds: { type: "string" },
    seed: { type: "string", default: Long.seedOfNow() },
    storage: { type: "string", default: "postgres" },
    only: { type: "string", default: "" },
    operators: { type: "boolean", default: false },
    short: { type: "boolean", default: false },
    alone: { type: "boolean", default: false }
  }
})
const seconds = values.seconds ?? (values.short ? "60" : "600")

Long.wholeNumbers({ seconds, seed: values.seed })
Long.oneOf("storage", values.storage, ["postgres", "pglite", "memory"])
await Long.run("hostile", {
  HOSTILE_SECONDS: seconds,
  HOSTILE_SEED: values.seed,
  HOSTILE_STORAGE: values.storage,
  HOSTILE_ONLY: values.only,
  HOSTILE_OPERATORS: String(values.operators),
  HOSTILE_SHORT: String(values.short),
  HOSTILE_ALONE: String(values.alone)
})
