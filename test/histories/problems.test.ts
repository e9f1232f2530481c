/**
 * Random histories in which the telco refuses to end what it has (rule S6): jobs end in refusals
 * and wait, and once an operator has retried them every invariant holds.
 */
import { Effect } from "effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { Simulation } from "simplan/testing"
import { Commands, History, Invariants } from "../../src/testing/index.ts"
import { inventory, mustHold } from "./Histories.ts"

/** Often enough for three refusals in a row. */
const refusing = fc
  .nat(8)
  .map((times): Commands.Command => ({ _tag: "Fault", fault: "refuse to end", times: 3 + times }))

const ending: fc.Arbitrary<Commands.Command> = fc.oneof(
  fc.record({
    _tag: fc.constant("Delete" as const),
    by: fc.constant(0 as const),
    line: fc.nat(1),
    foreign: fc.constant(false)
  }),
  fc.record({
    _tag: fc.constant("Suspend" as const),
    by: fc.constant(0 as const),
    line: fc.nat(1),
    attachment: fc.constant(0),
    foreign: fc.constant(false)
  })
)

/** Any run, with refusals before what ends something, and an hour in which the job may end. */
const runs = fc
  .tuple(Commands.runs(), fc.array(fc.tuple(fc.nat(23), refusing, ending), { minLength: 1, maxLength: 4 }))
  .map(([commands, added]) => {
    const [plan, subscription, ...rest] = commands
    const all = [...rest]
    for (const [at, fault, end] of added) {
      all.splice(at % Math.max(1, all.length), 0, fault, end, { _tag: "Advance", millis: 3_600_000 })
    }
    return [plan, subscription, ...all].filter((command) => command !== undefined)
  })

it("any run keeps every invariant, though jobs end in refusals until an operator retries them", async () => {
  let retried = 0
  let most = 0
  await fc.assert(
    fc.asyncProperty(fc.nat(), runs, async (seed, commands) => {
      const history = await Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const simulated = yield* Simulation.make({ seed, ...inventory })
            const history = yield* History.record(simulated, commands)
            for (const organizationId of simulated.organizationIds) {
              const all = { from: null, to: null, actor: null, action: "problem.retry", resourceId: null }
              const entries = yield* simulated.storage.auditEntries.page({
                organizationId,
                ...all,
                after: null,
                limit: 99
              })
              retried += entries.items.length
            }
            expect(yield* simulated.storage.problems.count).toBe(0)
            return history
          })
        )
      )
      mustHold(history, Invariants.all)
      const refused = new Map<string, number>()
      for (const { changes } of history.steps) {
        for (const { kind, key, refusal } of changes.records) {
          if (refusal === null || !["suspension", "cancellation", "release"].includes(kind)) continue
          refused.set(`${kind} ${key}`, (refused.get(`${kind} ${key}`) ?? 0) + 1)
        }
      }
      most = Math.max(most, ...refused.values())
    }),
    { numRuns: 60, seed: 1 }
  )
  expect(retried).toBeGreaterThan(10)
  expect(most).toBe(1)
}, 300_000)
