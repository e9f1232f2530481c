/**
 * Releases over the model of an SM-DP+ in memory, with seeded faults, late effects and a journal
 * that fails at any write.
 */
import { Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Journal } from "../../adapters/telco-calls/index.ts"
import { Api, Es2plus } from "../../adapters/telco-es2plus/index.ts"
import { type Function, type Options, type Request, Smdp, type State } from "../fakes/es2plus/Smdp.ts"

const iccid = "8988303000000000017"
const MATCHING = "AAAA-BBBB"

/** Numbers in 0..1 that follow from the seed (mulberry32). */
const random = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface World {
  readonly smdp: Smdp
  readonly late: Array<{ readonly at: number; readonly run: () => void }>
  isCalm: boolean
}

const LATEST = 25_000

/** The functions over the model. A call is done, lost, done and lost, done late, or done twice. */
const apiOver = (world: World, next: () => number) =>
  Layer.effect(
    Api.Api,
    Effect.gen(function* () {
      const now = Effect.clockWith(({ currentTimeMillis }) => currentTimeMillis)
      const unknown = new Api.Failure({ outcome: "Unknown", message: "no answer" })
      const send = (name: Function, request: Request) =>
        Effect.gen(function* () {
          const at = yield* now
          yield* arrive(world, at)
          const fate = world.isCalm ? 1 : next()
          if (fate < 0.1) return yield* unknown
          if (fate < 0.2) return yield* new Api.Failure({ outcome: "NotDone", message: "refused to connect" })
          if (fate < 0.3) {
            const later = at + Math.floor(next() * LATEST)
            world.late.push({ at: later, run: () => world.smdp.call(name, request) })
            return yield* unknown
          }
          const first = world.smdp.call(name, request)
          if (fate < 0.45) return yield* unknown
          const answer = fate < 0.5 ? world.smdp.call(name, request) : first
          if (!("failed" in answer)) return answer.matchingId ?? null
          const [subjectCode, reasonCode] = answer.failed
          const status = { status: "Failed", statusCodeData: { subjectCode, reasonCode } }
          return yield* Api.failure(name, status) ?? unknown
        })
      const matching = (matchingId: string | null) => (matchingId === null ? {} : { matchingId })
      return {
        downloadOrder: (of) => Effect.asVoid(send("downloadOrder", of)),
        confirmOrder: ({ isReleased, matchingId, ...of }) =>
          send("confirmOrder", { ...of, ...matching(matchingId), releaseFlag: isReleased }),
        cancelOrder: ({ finalStatus, matchingId, ...of }) =>
          Effect.asVoid(
            send("cancelOrder", { ...of, ...matching(matchingId), finalProfileStatusIndicator: finalStatus })
          ),
        releaseProfile: (of) => Effect.asVoid(send("releaseProfile", of)),
        check: Effect.void
      }
    })
  )

/** What is due has its effect, in the order of its time. */
const arrive = (world: World, now: number) =>
  Effect.sync(() => {
    const due = world.late.filter(({ at }) => at <= now).sort((left, right) => left.at - right.at)
    for (const one of due) {
      world.late.splice(world.late.indexOf(one), 1)
      one.run()
    }
  })

/**
 * A journal whose writes fail now and then, before or after they were done, as a process that dies
 * there would leave it.
 */
const journalOver = (world: World, next: () => number) =>
  Layer.effect(
    Journal.Journal,
    Effect.map(Journal.makeMemory, (journal) => {
      const died = new Journal.JournalError({ message: "the process died" })
      const dying = <A>(write: Effect.Effect<A, Journal.JournalError>) =>
        Effect.suspend(() => {
          const fate = world.isCalm ? 1 : next()
          if (fate < 0.05) return Effect.fail(died)
          return fate < 0.1 ? Effect.andThen(write, Effect.fail(died)) : write
        })
      return {
        ...journal,
        add: (entry) => dying(journal.add(entry)),
        replace: (entry) => dying(journal.replace(entry))
      }
    })
  )

interface Played {
  readonly outcome: "released" | "Telco.Refused" | "open"
  readonly state: State | undefined
  readonly matchingId: string | null | undefined
}

const play = (seed: number, state: State, options: Options, confirmReleases: boolean): Promise<Played> => {
  const next = random(seed)
  const world: World = { smdp: new Smdp(options), late: [], isCalm: false }
  world.smdp.add(iccid, state, ["Confirmed", "Released"].includes(state) ? MATCHING : null)
  const layer = Es2plus.layerWithoutApi({
    telco: "smdp",
    matchingId: () => Effect.succeed(MATCHING),
    confirmReleases
  }).pipe(Layer.provide(Layer.merge(apiOver(world, next), journalOver(world, next))))
  return Effect.gen(function* () {
    const { releaseProfile } = yield* Es2plus.Profiles
    let outcome: Played["outcome"] = "open"
    for (let attempt = 0; attempt < 80 && outcome === "open"; attempt++) {
      if (attempt === 40) world.isCalm = true
      const result = yield* Effect.result(releaseProfile({ key: "job-1", iccid }))
      if (Result.isSuccess(result)) outcome = "released"
      else if (result.failure._tag === "Telco.Refused") outcome = "Telco.Refused"
      else yield* TestClock.adjust((result.failure.retryAfterSeconds ?? 1) * 1_000)
    }
    yield* TestClock.adjust(LATEST)
    yield* arrive(world, Number.POSITIVE_INFINITY)
    const profile = world.smdp.profiles.get(iccid)
    return { outcome, state: profile?.state, matchingId: profile?.matchingId }
  }).pipe(Effect.provide(Layer.mergeAll(layer, TestClock.layer())), Effect.runPromise)
}

const variants: ReadonlyArray<Options> = [
  { withoutOrder: "success" },
  { withoutOrder: "8.2.1/3.5" },
  { withoutOrder: "8.2.1/3.3" },
  { withoutOrder: "8.2.6/3.10", remembers: true }
]

describe("A release over a wire that loses, delays and doubles", () => {
  const orderable: ReadonlyArray<State> = ["Available", "Allocated", "Linked", "Confirmed", "Released"]

  for (const state of orderable) {
    it(`leaves a profile that was ${state} released, with the matching id of its activation code`, async () => {
      for (let seed = 0; seed < 24; seed++) {
        const options = variants[seed % variants.length] ?? {}
        const { matchingId, outcome, state: after } = await play(seed, state, options, seed % 3 !== 0)
        expect({ seed, outcome, after, matchingId }).toEqual({
          seed,
          outcome: "released",
          after: "Released",
          matchingId: MATCHING
        })
      }
    })
  }

  for (const state of ["Downloaded", "Installed", "Unavailable"] as const) {
    it(`refuses one that is ${state}, and leaves it`, async () => {
      for (let seed = 0; seed < 8; seed++) {
        const { outcome, state: after } = await play(seed, state, variants[seed % variants.length] ?? {}, true)
        expect({ seed, outcome, after }).toEqual({ seed, outcome: "Telco.Refused", after: state })
      }
    })
  }
})

describe("A process that stood still after it wrote its intent", () => {
  it("makes no call, which could end an order that another process has made since", async () => {
    const world: World = { smdp: new Smdp(), late: [], isCalm: true }
    world.smdp.add(iccid, "Released", MATCHING)
    let isStill = true
    const still = Layer.effect(
      Journal.Journal,
      Effect.map(Journal.makeMemory, (journal) => ({
        ...journal,
        replace: (entry: Journal.Entry) => Effect.delay(journal.replace(entry), isStill ? "1 minute" : 0)
      }))
    )
    const layer = Es2plus.layerWithoutApi({ telco: "smdp", matchingId: () => Effect.succeed(MATCHING) }).pipe(
      Layer.provide(Layer.merge(apiOver(world, random(1)), still))
    )
    await Effect.gen(function* () {
      const { releaseProfile } = yield* Es2plus.Profiles
      const first = yield* Effect.forkChild(Effect.flip(releaseProfile({ key: "job-1", iccid })))
      yield* TestClock.adjust("1 minute")
      expect((yield* Fiber.join(first))._tag).toBe("Telco.Unavailable")
      expect(world.smdp.calls).toEqual([])
      isStill = false
      yield* releaseProfile({ key: "job-1", iccid })
      expect(world.smdp.profiles.get(iccid)).toEqual({ state: "Released", matchingId: MATCHING })
    }).pipe(Effect.provide(Layer.mergeAll(layer, TestClock.layer())), Effect.runPromise)
  })
})
