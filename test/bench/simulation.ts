/**
 * A year, or a part of one, in the life of many subscriptions with a daily recurring plan, each
 * reporting its usage every day, on memory storage. What is measured is all that the clock brings:
 * packages and reports; the subscriptions are there before.
 */
import { Effect } from "effect"
import { Plans, Reports, Subscriptions, Time } from "simplan"
import { StandardCatalogue } from "simplan/catalogue"
import * as Simulation from "../../adapters/simulation/Simulation.ts"

/** How many reports a telco sends at once. */
const BATCH = 500

/** How many events are measured at least. */
const ENOUGH = 50_000

export interface Measured {
  readonly subscriptions: number
  readonly days: number
  readonly events: number
  readonly seconds: number
  readonly peakMegabytes: number
}

const batches = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / BATCH) }, (_, index) => all.slice(index * BATCH, (index + 1) * BATCH))

const live = Effect.fnUntraced(function* (subscriptions: number, days: number) {
  const simulation = yield* Simulation.make({ esims: { Green: subscriptions }, physicalSims: 0, keepsHistory: false })
  const [organizationId] = simulation.organizationIds
  const iccids = simulation.iccids(organizationId)
  const france = StandardCatalogue.catalogue().profiles.find((one) => one.label === "Green" && one.regionCode === "FR")
  const coverageId = france?.coverageId ?? ""
  const recurrence = { periodicity: "Daily", frequency: 1, occurrences: 365 } as const
  const daily = { recurrence, periodDays: 1, throttling: [] }
  const plan = yield* simulation.use(
    Plans.Plans.use((of) =>
      of.create({ organizationId, terms: { name: "Daily 100 MB", coverageId, dataMegaBytes: 100, ...daily } })
    )
  )
  // Their days begin all over the day.
  const startOf = (index: number) => simulation.start + Math.floor((index * Time.DAY) / subscriptions)
  yield* simulation.use(
    Effect.gen(function* () {
      const of = yield* Subscriptions.Subscriptions
      for (const [index, iccid] of iccids.entries()) {
        const activePeriod = { start: startOf(index), end: null }
        yield* of.create({ organizationId, planId: plan.planId, metadata: "", iccid, activePeriod })
      }
    })
  )
  const began = performance.now()
  for (let day = 1; day <= days; day++) {
    const at = simulation.start + day * Time.DAY
    yield* simulation.advanceTo(at)
    yield* simulation.use(
      Effect.gen(function* () {
        const of = yield* Reports.Reports
        for (const some of batches(iccids)) {
          yield* of.take({
            reports: some.map((iccid) => ({
              reportId: `${iccid}-${day}`,
              iccid,
              occurredAt: at,
              fact: { _tag: "Usage", packageId: null, usage: { _tag: "Total", bytes: day * 1_000 } }
            }))
          })
        }
      })
    )
  }
  const seconds = (performance.now() - began) / 1_000
  return {
    subscriptions,
    days,
    events: 2 * subscriptions * days,
    seconds,
    peakMegabytes: process.resourceUsage().maxRSS / 2 ** 10
  } satisfies Measured
})

const [subscriptions = 1, days = 1] = process.argv.slice(2).map(Number)
// A short life is over before its code is compiled, so it is lived many times; and what was
// compiled for the first one does not fit the next.
for (let life = 0; life < 3; life++) await Effect.runPromise(Effect.scoped(live(100, 50)))
const measured = await Effect.runPromise(Effect.scoped(live(subscriptions, days)))
let { events, seconds } = measured
while (events < ENOUGH) {
  const another = await Effect.runPromise(Effect.scoped(live(subscriptions, days)))
  events += another.events
  seconds += another.seconds
}
process.stdout.write(`${JSON.stringify({ ...measured, events, seconds })}\n`)
