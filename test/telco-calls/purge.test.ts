/** The purge of calls that are over, in virtual time. */
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { Journal } from "../../adapters/telco-calls/index.ts"

const iccid = "8988303000000000017"

const entry = (kind: string, key: string): Journal.NewEntry => ({
  telco: "ocs",
  kind,
  key,
  iccid,
  externalId: null,
  document: {},
  dueAt: null
})

it("A call's entry goes 35 days after the call was last made; those of packages stay", () =>
  Effect.gen(function* () {
    const journal = yield* Journal.makeMemory
    let isReached = true
    const reached = {
      ...journal,
      purge: (of: Parameters<typeof journal.purge>[0]) =>
        isReached ? journal.purge(of) : Effect.fail(new Journal.JournalError({ message: "out of reach" }))
    }
    const keys = (kind: string) =>
      Effect.map(journal.ofSim({ telco: "ocs", kind, iccid }), (all) => all.map(({ key }) => key))
    for (const kind of [...Journal.callKinds, "package", "route"]) yield* journal.add(entry(kind, "first"))
    // More than are deleted at a time.
    for (let index = 0; index < 1_500; index++) yield* journal.add(entry(Journal.MESSAGE, `more-${index}`))
    yield* TestClock.adjust("34 days")
    yield* journal.replace({ ...entry(Journal.RELEASE, "first"), version: 1 })
    yield* journal.add(entry(Journal.MESSAGE, "second"))
    yield* Effect.forkChild(Journal.purgeForever(reached, ["other", "ocs"]))
    isReached = false
    yield* TestClock.adjust("30 hours")
    expect(yield* keys(Journal.MESSAGE)).toHaveLength(1_502)
    isReached = true
    yield* TestClock.adjust("1 hour")
    expect(yield* Effect.forEach([...Journal.callKinds, "package", "route"], keys)).toEqual([
      ["second"],
      [],
      [],
      ["first"],
      [],
      [],
      ["first"],
      ["first"]
    ])
  }).pipe(Effect.provide([TestClock.layer(), Logger.layer([])]), Effect.runPromise))
