/**
 * Each SIM with an order is polled, whichever write of the journal fails, and whatever became of
 * the entry that says when.
 */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Time } from "simplan"
import { Telco } from "simplan/ports"
import { describe, expect, it } from "vitest"
import { Journal } from "../../../adapters/telco-calls/index.ts"
import { Api, Ocs } from "../../../adapters/telco-ocs/index.ts"
import * as Model from "../Model.ts"
import { ICCID, inWorld, START, TELCO } from "../reports/ReportsWorld.ts"
import * as Orders from "../simulation/Orders.ts"

const SIM = { telco: TELCO, kind: "sim", key: ICCID }

const settings = { telco: TELCO, resellerId: 1, zones: { Green: { FR: 27 } }, mobilePlanId: null, listLag: 0 }

/**
 * Orders a package while the write of the journal with this number fails, once: how many writes
 * there were.
 */
const orderWith = (failing: number, isDone: boolean) =>
  Effect.gen(function* () {
    const memory = yield* Journal.makeMemory
    let writes = 0
    const write = <A>(effect: Effect.Effect<A, Journal.JournalError>) =>
      Effect.suspend(() => {
        if (++writes !== failing) return effect
        const failure = Effect.fail(new Journal.JournalError({ message: "The journal is out of reach" }))
        return isDone ? Effect.andThen(effect, failure) : failure
      })
    const journal: Journal.Journal["Service"] = {
      ...memory,
      add: (entry, also) => write(memory.add(entry, also)),
      replace: (entry, also) => write(memory.replace(entry, also))
    }
    const model = Model.make({ fault: () => null })
    const layer = Ocs.layer(settings).pipe(
      Layer.provide([Layer.succeed(Journal.Journal, journal), Layer.succeed(Api.Api, model.api)])
    )
    const order = Orders.orderOf(ICCID)("a:0")
    yield* Telco.Telco.use((telco) => Effect.retry(telco.createPackage(order), { times: 3 })).pipe(
      Effect.provide(layer),
      Effect.orDie
    )
    expect(model.packages.size).toBe(1)
    return { writes, dueAt: (yield* memory.get(SIM))?.dueAt ?? null }
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

describe("A SIM with an order", () => {
  it("is polled now, whichever write after the order fails", async () => {
    const { dueAt, writes } = await orderWith(0, false)
    expect(dueAt).toBe(0)
    expect(writes).toBeGreaterThan(2)
    for (let failing = 1; failing <= writes; failing++) {
      for (const isDone of [false, true])
        expect(await orderWith(failing, isDone), `write ${failing} of ${writes} fails`).toMatchObject({ dueAt: 0 })
    }
  })

  inWorld("is found again whose entry is gone", function* (world) {
    const { journal, model } = world
    yield* world.subscribe({ megaBytes: 1024, start: START })
    model.change(1, { usedBytes: 7 })
    const entry = (yield* journal.get(SIM)) ?? expect.fail()
    expect(yield* journal.purge({ ...SIM, before: START + 1, limit: 1 })).toBe(1)
    yield* world.drainOf({})
    yield* world.drainOf({})
    expect((yield* world.attachment).usedBytes).toBe(7)
    // So is one that an earlier version has left without a time, an hour later.
    const polled = (yield* journal.get(SIM)) ?? expect.fail()
    yield* journal.replace({ ...polled, document: entry.document, dueAt: null })
    model.change(1, { usedBytes: 9 })
    yield* TestClock.adjust("1 hour")
    yield* world.drainOf({})
    yield* world.drainOf({})
    expect((yield* world.attachment).usedBytes).toBe(9)
  })

  inWorld("is left alone after a poll that expects nothing more", function* (world) {
    const { journal, model } = world
    yield* world.subscribe({ megaBytes: 1024, start: START })
    yield* TestClock.adjust("80 days")
    for (let day = 0; day < 3; day++) {
      yield* world.drainOf({})
      yield* TestClock.adjust("1 day")
    }
    const calls = model.calls.length
    expect((yield* journal.get(SIM))?.dueAt).toBeNull()
    yield* world.drainOf({})
    expect(model.calls.length).toBe(calls)
  })

  inWorld("is polled again soon while the list does not show its package yet", function* (world) {
    const { journal, model, polling } = world
    yield* world.subscribe({ megaBytes: 1024 })
    const [ordered] = model.packages
    model.packages = []
    yield* polling.due
    const next = (yield* journal.get(SIM))?.dueAt ?? Number.POSITIVE_INFINITY
    expect(next - START).toBeLessThanOrEqual(Time.MINUTE)
    model.packages = ordered === undefined ? [] : [{ ...ordered, usedBytes: 5, activationAt: START }]
    yield* TestClock.adjust(next - START)
    yield* polling.due
    expect((yield* world.attachment).usedBytes).toBe(5)
    // One that never shows is expected by the comparison of both books.
    model.packages = []
    yield* TestClock.adjust("6 hours")
    yield* polling.due
    expect((yield* journal.get(SIM))?.dueAt).toBeGreaterThan(START + 6 * Time.HOUR + 15 * Time.MINUTE)
  })
})
