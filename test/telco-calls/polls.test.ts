/**
 * Polls of the SIMs of a supplier (rules T3, R1 and R4): when they are made, what is reported, and
 * what hints do. Random lives of a SIM that is sold again, with lists that lag, calls that fail, a
 * core that takes nothing for a while, and processes that die in the middle of a poll.
 */
import { Clock, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { Reports } from "simplan"
import { Telco, type TelcoReport, Time } from "simplan/ports"
import { describe, expect, it } from "vitest"
import { Journal, type PollState, Polls } from "../../adapters/telco-calls/index.ts"

const TELCO = "supplier"
const ICCID = "8944500102198304826"
const GB = 1_073_741_824
const [FASTEST, SLOWEST] = [5 * Time.MINUTE, 6 * Time.HOUR]

interface Bundle {
  readonly purchaseId: string
  readonly packageId: string
  usedBytes: number
  activationAt: number | null
  end: PollState.Seen["end"]
}

/** What the supplier has, what the core has taken, and what went wrong. */
const makeWorld = (lag: number) =>
  Effect.gen(function* () {
    const journal = yield* Journal.makeMemory
    const state = {
      bundles: [] as Bundle[],
      /** The list of some poll before, while it lags. */
      lagging: null as ReadonlyArray<PollState.Seen> | null,
      fails: false,
      hangs: false,
      /** What happens while a poll is under way. */
      during: (): Effect.Effect<void, Journal.JournalError> => Effect.void,
      rejects: false,
      sim: null as "gone" | "missing" | null,
      polls: 0,
      taken: [] as TelcoReport.Report[],
      seen: new Set<string>()
    }
    const listed = (): ReadonlyArray<PollState.Seen> =>
      state.bundles.map(({ activationAt, end, packageId, usedBytes }) => ({
        ...{ packageId, usedBytes, activationAt, end: end === null ? null : { ...end } },
        allowanceBytes: GB,
        expirationAt: activationAt === null ? null : activationAt + 7 * Time.DAY
      }))
    /** A SIM that was sold, and has no package yet. */
    const known = () => {
      const last = state.bundles.at(-1)
      if (last === undefined) return null
      const own = state.bundles.filter(
        ({ packageId, purchaseId }) => purchaseId === last.purchaseId && packageId !== ""
      )
      return { purchaseId: last.purchaseId, packageIds: own.map(({ packageId }) => packageId) }
    }
    const polls = Polls.make({
      telco: TELCO,
      journal,
      known: { kind: "purchase", of: () => Effect.sync(known) },
      callsPerSecond: 10,
      fastest: FASTEST,
      slowest: SLOWEST,
      lag,
      poll: () =>
        Effect.gen(function* () {
          state.polls += 1
          if (state.fails) return yield* new Telco.Unavailable({ message: "no answer" })
          if (state.hangs) return yield* Effect.never
          yield* Effect.orDie(state.during())
          const own = known()
          if (own === null) return null
          if (state.sim === "missing") return { ...own, seen: [], sim: state.sim }
          // The supplier knows ICCIDs only, and lists what a former customer has had as well.
          return { ...own, seen: state.lagging ?? listed(), ...(state.sim !== null && { sim: state.sim }) }
        })
    })
    const core = Layer.succeed(
      Reports.Reports,
      Reports.Reports.of({
        take: ({ reports }) =>
          Effect.sync(() =>
            reports.map((report): TelcoReport.Verdict => {
              if (state.seen.has(report.reportId)) return { _tag: "Duplicate" }
              if (state.rejects) return { _tag: "Rejected", field: null, message: "not now" }
              state.seen.add(report.reportId)
              state.taken.push(report)
              return { _tag: "Accepted" }
            })
          )
      })
    )
    const bundle = (purchaseId: string, packageId: string): Bundle => {
      const made: Bundle = { purchaseId, packageId, usedBytes: 0, activationAt: null, end: null }
      state.bundles.push(made)
      return made
    }
    const due = Effect.provide(polls.due, core)
    return { state, polls, listed, bundle, core, due, journal }
  })

type World = Effect.Success<ReturnType<typeof makeWorld>>

const run = <A>(test: (world: World) => Effect.Effect<A, unknown>, lag = 0): Promise<A> =>
  Effect.runPromise(Effect.flatMap(makeWorld(lag), test).pipe(Effect.provide(TestClock.layer())))

/** Minutes go by, in each of which what is due is polled. */
const pass = ({ due }: World, minutes: number) =>
  Effect.gen(function* () {
    for (let minute = 0; minute < minutes; minute++) {
      yield* TestClock.adjust("1 minute")
      yield* due
    }
  })

const use = (of: Bundle, bytes: number) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    of.activationAt ??= now
    of.usedBytes += bytes
  })

const facts = ({ state }: World) => state.taken.map(({ fact }) => fact)

describe("Polls of a SIM", () => {
  it("report its first use before its usage, totals, and its end once; then they are over", () =>
    run((world) =>
      Effect.gen(function* () {
        const of = world.bundle("p1", "a:0")
        yield* world.polls.watch(ICCID)
        yield* pass(world, 10)
        expect(world.state.taken).toEqual([])
        yield* use(of, GB / 4)
        yield* pass(world, 10)
        expect(facts(world).map(({ _tag }) => _tag)).toEqual(["FirstUse", "Usage"])
        expect(world.state.taken[0]?.occurredAt).toBe(of.activationAt)
        yield* use(of, (3 * GB) / 4)
        of.end = { reason: "depleted", at: null }
        yield* pass(world, 60)
        expect(facts(world).slice(2)).toEqual([
          { _tag: "Usage", packageId: "a:0", usage: { _tag: "Total", bytes: GB } },
          { _tag: "End", packageId: "a:0", reason: "depleted" }
        ])
        const { polls } = world.state
        yield* world.polls.hint(ICCID)
        yield* pass(world, 600)
        expect(world.state.polls).toBe(polls)
      })
    ))

  it("are made once more after an end, for what the supplier counts late", () =>
    run(
      (world) =>
        Effect.gen(function* () {
          const of = world.bundle("p1", "a:0")
          yield* use(of, GB / 2)
          of.end = { reason: "expired", at: null }
          yield* world.polls.watch(ICCID)
          yield* pass(world, 10)
          expect(facts(world).map(({ _tag }) => _tag)).toEqual(["FirstUse", "Usage", "End"])
          yield* use(of, GB / 4)
          yield* pass(world, 4 * 60)
          expect(facts(world).slice(3)).toEqual([
            { _tag: "Usage", packageId: "a:0", usage: { _tag: "Total", bytes: (3 * GB) / 4 } }
          ])
          expect(world.state.polls).toBe(2)
        }),
      3 * Time.HOUR
    ))

  it("are made more seldom while nothing changes, and never less often than is set", () =>
    run((world) =>
      Effect.gen(function* () {
        const of = world.bundle("p1", "a:0")
        yield* use(of, 1)
        yield* world.polls.watch(ICCID)
        yield* pass(world, 60)
        const first = world.state.polls
        yield* pass(world, 20 * 60)
        const before = world.state.polls
        yield* pass(world, 24 * 60)
        const [early, late] = [first, (world.state.polls - before) / 24]
        expect(early).toBeGreaterThan(2 * late)
        expect(world.state.polls - before).toBeGreaterThanOrEqual(4)
      })
    ))

  it("say until when usage is counted, by the last one that was answered and what is counted late", () =>
    run(
      (world) =>
        Effect.gen(function* () {
          const asOf = Effect.map(world.polls.asOf(ICCID), (all) => [...all])
          expect(yield* asOf).toEqual([])
          const of = world.bundle("p1", "a:0")
          yield* use(of, 1)
          yield* world.polls.watch(ICCID)
          expect(yield* asOf).toEqual([])
          yield* pass(world, 10)
          const [[packageId, at] = ["", 0], ...others] = yield* asOf
          expect({ packageId, others }).toEqual({ packageId: "a:0", others: [] })
          expect(at).toBe(10 * Time.MINUTE - 3 * Time.HOUR)
          world.state.fails = true
          yield* pass(world, SLOWEST / Time.MINUTE)
          expect(yield* asOf).toEqual([["a:0", at]])
          world.state.fails = false
          yield* pass(world, SLOWEST / Time.MINUTE)
          expect((yield* asOf)[0]?.[1]).toBeGreaterThan(at + SLOWEST)
        }),
      3 * Time.HOUR
    ))

  it("are made soon after a hint, however often it comes, and not for an ICCID that is unknown", () =>
    run((world) =>
      Effect.gen(function* () {
        world.bundle("p1", "a:0")
        yield* world.polls.watch(ICCID)
        yield* pass(world, 48 * 60)
        const before = world.state.polls
        for (let i = 0; i < 100; i++) yield* world.polls.hint(ICCID)
        yield* pass(world, 1)
        expect(world.state.polls).toBe(before + 1)
        yield* world.polls.hint("8988000000000000057")
        expect(yield* world.journal.get({ telco: TELCO, kind: Polls.KIND, key: "8988000000000000057" })).toBeNull()
      })
    ))

  it("are made again after a hint until they find what is new, with longer and longer waits", () =>
    run((world) =>
      Effect.gen(function* () {
        const of = world.bundle("p1", "a:0")
        yield* use(of, 1)
        yield* world.polls.watch(ICCID)
        yield* pass(world, 48 * 60)
        const { state } = world
        const before = state.polls
        state.lagging = world.listed()
        yield* use(of, GB / 2)
        yield* world.polls.hint(ICCID)
        yield* pass(world, 3)
        expect(state.polls).toBe(before + 2)
        state.lagging = null
        yield* pass(world, 2)
        expect(facts(world).at(-1)).toMatchObject({ usage: { bytes: GB / 2 + 1 } })
        expect(state.polls).toBe(before + 3)
        // Nothing else is expected of the hint.
        yield* pass(world, 3)
        expect(state.polls).toBe(before + 3)
        yield* pass(world, 48 * 60)
        const idle = state.polls
        yield* world.polls.hint(ICCID)
        yield* pass(world, 60)
        expect(state.polls - idle).toBeLessThanOrEqual(6)
      })
    ))

  it("are made again soon if the one after a hint fails, or the hint comes while one is under way", () =>
    run((world) =>
      Effect.gen(function* () {
        const of = world.bundle("p1", "a:0")
        yield* use(of, 1)
        yield* world.polls.watch(ICCID)
        yield* pass(world, 48 * 60)
        const { state } = world
        state.fails = true
        yield* use(of, 1)
        yield* world.polls.hint(ICCID)
        yield* pass(world, 1)
        state.fails = false
        yield* pass(world, 1)
        expect(facts(world).at(-1)).toMatchObject({ usage: { bytes: 2 } })
        yield* pass(world, 48 * 60)
        state.during = () => world.polls.hint(ICCID)
        yield* world.polls.hint(ICCID)
        yield* pass(world, 1)
        state.during = () => Effect.void
        state.lagging = world.listed()
        yield* use(of, 1)
        yield* pass(world, 2)
        state.lagging = null
        yield* pass(world, 4)
        expect(facts(world).at(-1)).toMatchObject({ usage: { bytes: 3 } })
      })
    ))

  it("tell that it is gone, at once if the supplier says so, also while it is in stock", () =>
    run((world) =>
      Effect.gen(function* () {
        world.bundle("p1", "")
        yield* world.polls.stock(ICCID)
        yield* pass(world, 60 * 23)
        expect(world.state.polls).toBe(0)
        yield* pass(world, 60 * 25)
        expect(world.state.polls).toBe(2)
        expect(world.state.taken).toEqual([])
        world.state.sim = "gone"
        yield* pass(world, 60 * 25)
        expect(facts(world)).toEqual([{ _tag: "Gone" }])
        const { polls } = world.state
        yield* pass(world, 60 * 100)
        expect(world.state.polls).toBe(polls)
        // The supplier sells the ICCID again, and it goes once more.
        world.bundle("p2", "")
        yield* world.polls.stock(ICCID)
        yield* pass(world, 60 * 25)
        expect(world.state.taken.map(({ reportId }) => reportId)).toEqual([
          "supplier/poll/p1/gone",
          "supplier/poll/p2/gone"
        ])
      })
    ))

  it("tell that it is gone once it was missing for a day, and not if it comes back before", () =>
    run((world) =>
      Effect.gen(function* () {
        world.bundle("p1", "a:0")
        yield* world.polls.watch(ICCID)
        yield* pass(world, 10)
        world.state.sim = "missing"
        yield* pass(world, 20 * 60)
        world.state.sim = null
        yield* pass(world, 7 * 60)
        world.state.sim = "missing"
        yield* pass(world, 23 * 60)
        expect(world.state.taken).toEqual([])
        world.state.rejects = true
        yield* pass(world, 8 * 60)
        expect(world.state.taken).toEqual([])
        world.state.rejects = false
        yield* pass(world, 7 * 60)
        expect(facts(world)).toEqual([{ _tag: "Gone" }])
        const { polls } = world.state
        yield* pass(world, 48 * 60)
        expect(world.state.polls).toBe(polls)
      })
    ))

  it("are made of SIMs whose entry was lost, and not of those that are over", () =>
    run((world) =>
      Effect.gen(function* () {
        const { journal, state } = world
        const of = { telco: TELCO, iccid: ICCID, externalId: null, document: {} }
        yield* journal.add({ ...of, kind: "purchase", key: "p1", dueAt: null })
        const entry = { telco: TELCO, kind: Polls.KIND, key: ICCID }
        /** What a restored backup has of the entry. */
        const restore = (document: Journal.Document) =>
          Journal.change(journal, entry, () => ({ iccid: ICCID, externalId: null, dueAt: null, document }))
        const swept = Effect.gen(function* () {
          yield* TestClock.adjust("1 day")
          let found = 0
          for (let isOver = false; !isOver; ) {
            const turn = yield* world.polls.sweep
            found += turn.found
            isOver = turn.isOver
          }
          return found
        })
        expect(yield* swept).toBe(0)
        const bundle = world.bundle("p1", "")
        expect(yield* swept).toBe(1)
        yield* world.due
        expect(state.polls).toBe(1)
        expect(yield* swept).toBe(0)
        state.bundles[0] = { ...bundle, packageId: "a:0" }
        yield* restore({})
        expect(yield* swept).toBe(1)
        yield* world.due
        // Before the package was there.
        yield* restore({ purchaseId: "p1", polledAt: 0, failures: 0, packages: {} })
        expect(yield* swept).toBe(1)
        const own = state.bundles[0]
        if (own !== undefined) own.end = { reason: "lapsed", at: null }
        yield* world.due
        expect(facts(world)).toEqual([{ _tag: "End", packageId: "a:0", reason: "lapsed" }])
        expect(yield* swept).toBe(0)
        // A top-up, of which the backup knows nothing.
        const topUp = world.bundle("p1", "b:0")
        expect(yield* swept).toBe(1)
        topUp.end = { reason: "lapsed", at: null }
        yield* world.due
        expect(yield* swept).toBe(0)
        state.sim = "gone"
        yield* world.polls.watch(ICCID)
        yield* pass(world, 6)
        expect(facts(world).at(-1)).toEqual({ _tag: "Gone" })
        expect(yield* swept).toBe(0)
      })
    ))

  it("go on after failures, and after a core that takes nothing", () =>
    run((world) =>
      Effect.gen(function* () {
        const of = world.bundle("p1", "a:0")
        yield* world.polls.watch(ICCID)
        yield* use(of, 5)
        world.state.fails = true
        yield* pass(world, 30)
        world.state.fails = false
        world.state.rejects = true
        yield* pass(world, SLOWEST / Time.MINUTE)
        expect(world.state.taken).toEqual([])
        world.state.rejects = false
        yield* pass(world, SLOWEST / Time.MINUTE)
        expect(facts(world).map(({ _tag }) => _tag)).toEqual(["FirstUse", "Usage"])
      })
    ))
})

type Step =
  | { readonly do: "use"; readonly back: number; readonly bytes: number }
  | { readonly do: "end"; readonly back: number; readonly reason: "depleted" | "revoked" }
  | { readonly do: "sell" | "top up" | "lag" | "catch up" | "fail" | "reject" | "die" | "hint" | "well" }
  | { readonly do: "pass"; readonly minutes: number }

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant("use" as const), back: fc.nat(2), bytes: fc.nat(GB) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("end" as const),
        back: fc.nat(2),
        reason: fc.constantFrom("depleted" as const, "revoked" as const)
      })
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom("sell", "top up", "lag", "catch up", "fail", "reject", "die", "hint", "well")
      })
    },
    { weight: 6, arbitrary: fc.record({ do: fc.constant("pass" as const), minutes: fc.integer({ min: 1, max: 400 }) }) }
  ) as fc.Arbitrary<Step>,
  { minLength: 3, maxLength: 25 }
)

const perform = (world: World, step: Step) =>
  Effect.gen(function* () {
    const { state } = world
    const last = state.bundles.at(-1)
    switch (step.do) {
      case "sell": {
        world.bundle(`p${state.bundles.length}`, `s${state.bundles.length}:0`)
        return yield* world.polls.watch(ICCID)
      }
      case "top up": {
        if (last === undefined) return
        world.bundle(last.purchaseId, `t${state.bundles.length}:0`)
        return yield* world.polls.watch(ICCID)
      }
      case "use": {
        const of = state.bundles.at(-1 - step.back)
        if (of !== undefined && of.end === null) yield* use(of, step.bytes)
        return
      }
      case "end": {
        const of = state.bundles.at(-1 - step.back)
        if (of !== undefined) of.end ??= { reason: step.reason, at: null }
        return
      }
      case "lag":
        state.lagging = world.listed()
        return
      case "catch up":
        state.lagging = null
        return
      case "fail":
        state.fails = true
        return
      case "reject":
        state.rejects = true
        return
      case "well":
        Object.assign(state, { fails: false, rejects: false, hangs: false, lagging: null })
        return
      case "hint":
        return yield* world.polls.hint(ICCID)
      case "die": {
        state.hangs = true
        const fiber = yield* Effect.forkChild(world.due)
        yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        state.hangs = false
        return
      }
      case "pass":
        return yield* pass(world, step.minutes)
    }
  })

/** What is wrong with what the core has taken; null: nothing. */
const complaint = ({ state }: World): string | null => {
  for (const { packageId, usedBytes } of state.bundles) {
    const own = state.taken.flatMap(({ fact }) => ("packageId" in fact && fact.packageId === packageId ? [fact] : []))
    const totals = own.flatMap((fact) => (fact._tag === "Usage" ? [fact.usage.bytes] : []))
    if (totals.some((bytes, at) => bytes <= (totals[at - 1] ?? 0))) return `${packageId} falls: ${totals}`
    if (totals.some((bytes) => bytes > usedBytes)) return `${packageId} has used ${usedBytes}: ${totals}`
    if (own.filter(({ _tag }) => _tag === "End").length > 1) return `${packageId} ends twice`
    if (own.filter(({ _tag }) => _tag === "FirstUse").length > 1) return `${packageId} begins twice`
  }
  return null
}

describe("Any life of a SIM", () => {
  it("is reported once and to its end, and with nothing of a former customer", async () => {
    await fc.assert(
      fc.asyncProperty(steps, (all) =>
        run((world) =>
          Effect.gen(function* () {
            yield* perform(world, { do: "sell" })
            let last = world.state.bundles.length
            for (const step of all) {
              const before = world.state.taken.length
              yield* perform(world, step)
              const purchaseId = world.state.bundles.at(-1)?.purchaseId
              const own = world.state.bundles.filter((one) => one.purchaseId === purchaseId)
              const ids = new Set(own.map(({ packageId }) => packageId))
              if (step.do !== "sell") {
                for (const { fact } of world.state.taken.slice(before)) {
                  if ("packageId" in fact && fact.packageId !== null) expect(ids).toContain(fact.packageId)
                }
              }
              last = world.state.bundles.length
              expect(complaint(world)).toBeNull()
            }
            expect(last).toBeGreaterThan(0)
            yield* perform(world, { do: "well" })
            yield* pass(world, (2 * SLOWEST) / Time.MINUTE)
            const present = world.state.bundles.at(-1)?.purchaseId
            for (const { activationAt, end, packageId, purchaseId, usedBytes } of world.state.bundles) {
              if (purchaseId !== present) continue
              const own = facts(world).filter((fact) => "packageId" in fact && fact.packageId === packageId)
              const total = own.findLast((fact) => fact._tag === "Usage")
              expect(total?.usage.bytes ?? 0).toBe(usedBytes)
              expect(own.some(({ _tag }) => _tag === "FirstUse")).toBe(activationAt !== null)
              expect(own.some(({ _tag }) => _tag === "End")).toBe(end !== null)
            }
          })
        )
      ),
      { numRuns: 12 }
    )
  }, 120_000)
})
