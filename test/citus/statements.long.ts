/**
 * How each statement is carried out where the tables are distributed: by one server, or it is named
 * here with the reason.
 */
import { Effect } from "effect"
import { Jobs, Outbox, Storage } from "simplan/ports"
import * as Postgres from "simplan/postgres"
import { expect } from "vitest"
import { Layer } from "effect"
import { operations } from "../conformance/postgres/printed/Operations.ts"
import * as Tests from "../setup/Tests.ts"
import * as Citus from "./Citus.ts"
import { explain, RecordingPool } from "./Explained.ts"
import { ofServers } from "./OfServers.ts"

Tests.scoped(
  "each statement goes to the server of its organization, but those of all organizations",
  function* () {
    const { schema } = yield* Citus.placed
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => new RecordingPool({ connectionString: Citus.options.url, max: 2 })),
      (pool) => Effect.promise(() => pool.end())
    )
    const adapter = yield* Layer.build(Postgres.layer({ pool, schema }))
    const ports = yield* Effect.provide(
      Effect.all({ storage: Storage.Storage, jobs: Jobs.Jobs, outbox: Outbox.Outbox }),
      adapter
    )
    const lines: Array<string> = []
    const ways = new Map<string, number>()
    const strange: Array<string> = []
    const over = new Set<string>()
    for (const [name, operation] of Object.entries(operations)) {
      pool.sent.length = 0
      yield* Effect.exit(operation(ports))
      const own = new Map(pool.sent.filter(({ text }) => text.includes(schema)).map((one) => [one.text, one]))
      for (const one of own.values()) {
        const way = yield* explain(pool, one)
        const said = typeof way === "string" ? way : `refused: ${way.refused}`
        const counted = typeof way === "string" ? way : "refused"
        ways.set(counted, (ways.get(counted) ?? 0) + 1)
        lines.push(`| ${name} | ${said} | ${way === "servers" ? (ofServers[name] ?? "") : ""} |`)
        if (way === "servers") over.add(name)
        if (typeof way !== "string" || (way === "servers" && ofServers[name] === undefined)) {
          strange.push(`${name}: ${said}`)
        }
      }
    }
    console.log(["| operation | how | why |", "|---|---|---|", ...lines].join("\n"))
    console.log(Array.from(ways, ([way, count]) => `${way}: ${count}`).join(", "))
    expect(strange).toEqual([])
    expect(Object.keys(ofServers).filter((name) => !over.has(name))).toEqual([])
  },
  600_000
)
