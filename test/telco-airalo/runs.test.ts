/** Random runs over the fake, and faults of the adapter that they have to find. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import type { Journal } from "../../adapters/telco-calls/index.ts"
import * as Run from "./Run.ts"

const COUNT = Number(process.env["AIRALO_RUNS"] ?? 40)
const FROM = Number(process.env["AIRALO_FROM"] ?? 1)

it("Nothing is bought twice, and all that is sold and charged is known", async () => {
  const struck = new Map<string, number>()
  const found: Array<string> = []
  for (let seed = FROM; seed < FROM + COUNT; seed++) {
    const run = await Run.run(seed)
    found.push(...run.problems.map((problem) => `${seed}: ${problem}`))
    for (const [what, times] of run.struck) struck.set(what, (struck.get(what) ?? 0) + times)
  }
  expect(found.slice(0, 20)).toEqual([])
  for (const what of ["order", "topUp"]) {
    for (const how of ["request lost", "answer lost", "late", "too many"]) {
      expect(struck.get(`${what}: ${how}`), `${what}: ${how}`).toBeGreaterThan(0)
    }
  }
  expect(struck.get("look: request lost")).toBeGreaterThan(0)
  expect(struck.get("process dies")).toBeGreaterThan(0)
  expect(struck.get("package cancelled")).toBeGreaterThan(0)
}, 600_000)

it("A seed goes the same way each time", async () => {
  for (const seed of [3, 8]) expect((await Run.run(seed)).trace).toBe((await Run.run(seed)).trace)
})

const empty = { data: [] }

/** A journal that takes no entry of a kind that says that something was asked for. */
const forgetting =
  (kind: string) =>
  (journal: Journal.Journal["Service"]): Journal.Journal["Service"] => ({
    ...journal,
    replace: (entry, also) =>
      entry.kind === kind && typeof entry.document["unansweredAt"] === "number"
        ? journal.replace({ ...entry, document: { ...entry.document, unansweredAt: null } }, also)
        : journal.replace(entry, also)
  })

const planted: ReadonlyArray<readonly [what: string, planted: Run.Planted]> = [
  [
    "does not find orders by their text",
    { ask: (ask) => (of) => (of.name === "ordersOf" ? Effect.succeed(empty) : ask(of)) }
  ],
  [
    "does not count what is on an eSIM",
    { ask: (ask) => (of) => (of.name === "packagesOf" ? Effect.succeed(empty) : ask(of)) }
  ],
  ["orders again at once", { lateMillis: 0 }],
  ["does not write down that it asks for an eSIM", { journal: forgetting("purchase") }],
  ["does not write down that it asks for a top-up", { journal: forgetting("package") }]
]

it.each(planted)("An adapter that %s is found", async (_, fault) => {
  const found: Array<string> = []
  for (let seed = 1; seed <= 60 && found.length === 0; seed++) found.push(...(await Run.run(seed, fault)).problems)
  expect(found).not.toEqual([])
})
