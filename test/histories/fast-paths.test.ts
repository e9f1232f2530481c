/**
 * The fast paths agree with the plain way: two services on PostgreSQL, one with all of them on and
 * one with all of them off, take the same random requests, many at once, and come to the same
 * answers and the same state.
 *
 * Requests that run at once may overtake each other, so a round's answers are compared as a set.
 */
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import * as fc from "fast-check"
import { Attachments, Plans, Services, Settings, Subscriptions } from "simplan"
import * as Postgres from "simplan/postgres"
import { Clocks } from "simplan/ports"
import * as Ports from "../scenarios/Ports.ts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Databases from "../setup/databases/Databases.ts"
import * as Shop from "../setup/Shop.ts"

const START = Date.UTC(2026, 0, 10, 12)
const SIMS = 6
const PLANS = 3

const iccidOf = (run: number, sim: number): string => `8944500${String(run * 10 + sim).padStart(12, "0")}`

/** What one request comes to: its success, or the name of its refusal. */
// Which of the two a creation gets where all eSIMs are taken depends on whether another one is
// decided yet (rule S5).
const shortages = new Set(["NoFreeSim", "SimsReleasing"])

const tag = <A>(request: Effect.Effect<A, { readonly _tag: string }, Services.Services>) =>
  Effect.match(request, { onSuccess: () => "ok", onFailure: ({ _tag }) => (shortages.has(_tag) ? "no eSIM" : _tag) })

type Round =
  /** Creations at once; `sim` null: any free eSIM. */
  | { readonly create: ReadonlyArray<{ readonly plan: number; readonly sim: number | null }> }
  /** Another process changes a plan. */
  | { readonly change: "archive" | "unarchive" | "remove"; readonly plan: number }
  | { readonly remove: number }
  | { readonly read: ReadonlyArray<number> }

const plan = fc.nat({ max: PLANS - 1 })
const sim = fc.nat({ max: SIMS - 1 })
// Of one plan: a request whose cached plan is stale reserves a SIM and frees it, which moves others
// to the next SIM.
const anyFree = fc
  .tuple(plan, fc.integer({ min: 1, max: 8 }))
  .map(([plan, count]) => Array.from({ length: count }, () => ({ plan, sim: null })))
const named = fc.uniqueArray(fc.record({ plan, sim }), { minLength: 1, maxLength: 4, selector: (one) => one.sim })
const round: fc.Arbitrary<Round> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ create: anyFree }) },
  { weight: 2, arbitrary: fc.record({ create: named }) },
  { weight: 2, arbitrary: fc.record({ change: fc.constantFrom("archive", "unarchive", "remove"), plan }) },
  { weight: 2, arbitrary: fc.record({ remove: sim }) },
  { weight: 2, arbitrary: fc.record({ read: fc.array(sim, { minLength: 1, maxLength: 12 }) }) }
)

const isOn = (paths: Readonly<Record<string, boolean>>, on: boolean) =>
  Object.fromEntries(Object.keys(paths).map((name) => [name, on]))

const start = async (on: boolean) => {
  const database = await Databases.create()
  const ports = Layer.mergeAll(
    Postgres.layer({
      url: Redacted.make(database.url),
      maxConnections: 4,
      fastPaths: { batchedReads: on, batchedCommits: on }
    }),
    Ports.make(Clocks.virtual(START))
  )
  const settings = Layer.effect(
    Settings.Settings,
    Effect.map(Settings.Settings, (defaults) => ({
      ...defaults,
      fastPaths: { ...defaults.fastPaths, ...isOn({ ...defaults.fastPaths }, on) }
    }))
  )
  const process = () =>
    ManagedRuntime.make(Layer.fresh(Services.layer).pipe(Layer.provide(Layer.fresh(ports)), Layer.provide(settings)))
  const [one, other] = [process(), process()]

  const organization = (run: number) =>
    one.runPromise(
      Effect.gen(function* () {
        const organizationId = yield* Shop.open(Array.from({ length: SIMS }, (_, n) => iccidOf(run, n)))
        const made = yield* Effect.forEach(Array.from({ length: PLANS }), (_, n) =>
          Shop.createPlan(organizationId, { name: `Plan ${n}`, dataMegaBytes: 100 })
        )
        return { organizationId, planIds: made.map(({ planId }) => planId) }
      })
    )

  /** A new organization with a stock of SIMs and plans. */
  const begin = async (run: number) => {
    const { organizationId, planIds } = await organization(run)
    const iccid = (sim: number): string => iccidOf(run, sim)
    const planId = (n: number): string => planIds[n] ?? ""

    const play = (of: Round): Promise<ReadonlyArray<string>> => {
      if ("create" in of) {
        return one.runPromise(
          Effect.forEach(
            of.create,
            ({ plan, sim }) =>
              tag(
                Shop.subscribe({ organizationId, planId: planId(plan) }, { iccid: sim === null ? null : iccid(sim) })
              ),
            { concurrency: "unbounded" }
          )
        )
      }
      if ("change" in of) {
        const change = Plans.Plans.use(
          (plans): Effect.Effect<unknown, { readonly _tag: string }> =>
            plans[of.change]({ organizationId, planId: planId(of.plan) })
        )
        return other.runPromise(Effect.map(tag(change), (answer) => [answer]))
      }
      if ("remove" in of) {
        const remove = Subscriptions.Subscriptions.use((subscriptions) =>
          subscriptions.remove({ organizationId, iccid: iccid(of.remove) })
        )
        return one.runPromise(Effect.map(tag(remove), (answer) => [answer]))
      }
      return one.runPromise(
        Effect.forEach(
          of.read,
          (sim) => tag(Subscriptions.Subscriptions.use((all) => all.get({ organizationId, iccid: iccid(sim) }))),
          { concurrency: "unbounded" }
        )
      )
    }

    /** Which SIMs are in service, and how often each plan is attached. */
    const state = () =>
      one.runPromise(
        Effect.gen(function* () {
          const attachments = yield* Attachments.Attachments
          const inService: Array<number> = []
          const attached = planIds.map(() => 0)
          for (let sim = 0; sim < SIMS; sim++) {
            const found = yield* Effect.option(attachments.list({ organizationId, iccid: iccid(sim) }))
            if (found._tag === "None") continue
            inService.push(sim)
            for (const { attachment } of found.value) {
              const n = planIds.indexOf(attachment.planId)
              attached[n] = (attached[n] ?? 0) + 1
            }
          }
          return { inService, attached }
        })
      )

    return { play, state }
  }

  return {
    begin,
    close: async () => {
      await Promise.all([one.dispose(), other.dispose()])
      await database.drop()
    }
  }
}

describe("The fast paths", () => {
  let fast: Awaited<ReturnType<typeof start>>
  let plain: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    fast = await start(true)
    plain = await start(false)
  })
  afterAll(() => Promise.all([fast?.close(), plain?.close()]))

  it("answer and store what the plain way does", { timeout: 120_000 }, async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 4, maxLength: 12 }), async (rounds) => {
        run += 1
        const [quick, slow] = [await fast.begin(run), await plain.begin(run)]
        for (const of of rounds) {
          const [answers, expected] = [await quick.play(of), await slow.play(of)]
          expect(answers.toSorted(), JSON.stringify(of)).toEqual(expected.toSorted())
          expect(await quick.state(), JSON.stringify(of)).toEqual(await slow.state())
        }
      }),
      { numRuns: 15, seed: 20_261_122 }
    )
  })
})
