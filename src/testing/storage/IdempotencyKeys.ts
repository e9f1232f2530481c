/**
 * Idempotency records: put, replaced when they are old, settled and forgotten (rule W2).
 */
import { Effect } from "effect"
import type { Outcome } from "../../domain/Idempotency.ts"
import { DAY } from "../../domain/Time.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("an idempotency record is put, settled and forgotten", (world) =>
    Effect.gen(function* () {
      const { organizationId, storage } = world
      const record = Rows.record(world)
      const { key } = record
      const read = storage.idempotencyRecords.get({ organizationId, key })
      yield* Suite.equals("before", yield* read, null)
      yield* storage.commit({ idempotency: { put: [{ record, replaces: world.now - DAY }] } })
      yield* Suite.equals("once it is put", yield* read, record)
      const outcome: Outcome = { _tag: "Succeeded", answer: { kind: "Done", value: null } }
      yield* storage.commit({ idempotency: { settled: [{ organizationId, key, outcome }] } })
      yield* Suite.equals("once it is settled", yield* read, { ...record, outcome })
      yield* storage.commit({ idempotency: { forgotten: [{ organizationId, key }] } })
      yield* Suite.equals("once it is forgotten", yield* read, null)
      yield* storage.commit({
        idempotency: {
          settled: [{ organizationId, key, outcome }],
          forgotten: [{ organizationId, key: world.id() }]
        }
      })
      yield* Suite.equals("a record that was not there is not settled", yield* read, null)
    })
  ),

  scenario("an idempotency record is replaced if it is old enough, else it conflicts", (world) =>
    Effect.gen(function* () {
      const { now, organizationId, storage } = world
      const record = Rows.record(world)
      const { key } = record
      const put = (createdAt: number, replaces: number) => ({
        idempotency: { put: [{ record: { ...record, createdAt, fingerprint: `of ${createdAt}` }, replaces }] }
      })
      const read = storage.idempotencyRecords.get({ organizationId, key })
      yield* storage.commit(put(now, now - DAY))
      yield* World.conflicts(world, "a millisecond too young", put(now + DAY, now - 1), "idempotency key")
      yield* Suite.equals("fingerprint", (yield* read)?.fingerprint, `of ${now}`)
      yield* storage.commit(put(now + DAY, now))
      yield* Suite.equals("fingerprint", (yield* read)?.fingerprint, `of ${now + DAY}`)
      yield* World.conflicts(world, "the same again", put(now + DAY, now), "idempotency key")
    })
  ),

  scenario("a record of an interrupted request is replaced by who names its attempt, however young it is", (world) =>
    Effect.gen(function* () {
      const { now, organizationId, storage } = world
      const outcome = { _tag: "Interrupted", iccid: "8933010000000000018", attemptId: "left" } as const
      const record = Rows.record(world, { outcome })
      const put = (fingerprint: string, insteadOf?: string) => ({
        idempotency: {
          put: [
            {
              record: { ...record, fingerprint, outcome: { _tag: "Pending" as const } },
              replaces: now - DAY,
              ...(insteadOf !== undefined && { insteadOf })
            }
          ]
        }
      })
      const read = storage.idempotencyRecords.get({ organizationId, key: record.key })
      yield* storage.commit({ idempotency: { put: [{ record, replaces: now - DAY }] } })
      yield* Suite.equals("interrupted", yield* read, record)
      yield* World.conflicts(world, "no attempt", put("a"), "idempotency key")
      yield* World.conflicts(world, "another attempt", put("b", "other"), "idempotency key")
      yield* storage.commit(put("c", "left"))
      yield* Suite.equals("fingerprint", (yield* read)?.fingerprint, "c")
      yield* World.conflicts(world, "the same again", put("d", "left"), "idempotency key")
    })
  ),

  scenario("an idempotency key is an organization's own", (world) =>
    Effect.gen(function* () {
      const { storage } = world
      const other = yield* World.neighbour(world)
      const [mine, theirs] = [Rows.record(world, { key: "k" }), Rows.record(other, { key: "k", fingerprint: "other" })]
      for (const record of [mine, theirs]) {
        yield* storage.commit({ idempotency: { put: [{ record, replaces: world.now - 1 }] } })
      }
      yield* storage.commit({ idempotency: { forgotten: [theirs] } })
      yield* Suite.equals("mine", yield* storage.idempotencyRecords.get(mine), mine)
      yield* Suite.equals("theirs", yield* storage.idempotencyRecords.get(theirs), null)
    })
  ),

  scenario("every kind of outcome of an idempotency record is read as it was written", (world) =>
    Effect.gen(function* () {
      const { storage } = world
      const recurrence = { periodicity: "Monthly", frequency: 2, occurrences: 12 } as const
      const plan = Rows.plan(world, { version: 3, terms: Rows.terms(world, { name: 'Ü "100 %" \\', recurrence }) })
      const outcomes: ReadonlyArray<Outcome> = [
        { _tag: "Pending" },
        { _tag: "Succeeded", answer: { kind: "Done", value: null } },
        { _tag: "Succeeded", answer: { kind: "Plan", value: plan } },
        { _tag: "Succeeded", answer: { kind: "Region", value: Rows.region(world) } },
        { _tag: "Refused", refusal: { _tag: "NoFreeSim", message: "", label: "Voilet" } },
        {
          _tag: "Refused",
          refusal: { _tag: "RegionNameTaken", message: "Taken", regionName: "{}", missingIso2: [] }
        }
      ]
      for (const outcome of outcomes) {
        const record = Rows.record(world, { outcome })
        const pending = Rows.record(world)
        yield* storage.commit({
          idempotency: { put: [record, pending].map((one) => ({ record: one, replaces: world.now })) }
        })
        yield* Suite.equals("put", yield* storage.idempotencyRecords.get(record), record)
        yield* storage.commit({ idempotency: { settled: [{ ...pending, outcome }] } })
        yield* Suite.equals("settled", yield* storage.idempotencyRecords.get(pending), { ...pending, outcome })
      }
    })
  )
]
