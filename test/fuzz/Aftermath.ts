/**
 * What must hold of the storage and of the telco's books after all requests: invariants of the
 * simulation, over a history of one step in which everything happened, for each organization.
 */
import { Effect } from "effect"
import { Attachments, Time } from "simplan"
import { type Sim, type SimAggregate, Storage } from "simplan/ports"
import { type History, Invariants, type Simulated } from "simplan/testing"
import { TelcoSimulator } from "../../adapters/telco-simulator/index.ts"
import type * as World from "../http/World.ts"

const CHECKED = [
  Invariants.simsAreInOnePlace,
  Invariants.nothingCrossesOrganizations,
  Invariants.nothingIsUnderWay,
  Invariants.occurrencesAreThereOnce,
  Invariants.packagesAreThoseDue,
  Invariants.statesFollow,
  Invariants.booksAreEqual,
  Invariants.daysSumToWhatIsUsed
]

/** How many SIMs are read at once. */
const PAGE = 100

const aggregatesOf = Effect.fnUntraced(function* (organizationId: string) {
  const storage = yield* Storage.Storage
  const found: Array<SimAggregate.SimAggregate> = []
  let after: number | null = null
  for (;;) {
    const page: ReadonlyArray<Sim.Sim> = yield* storage.sims.page({
      organizationId,
      isEsim: null,
      label: null,
      after,
      limit: PAGE
    })
    for (const { iccid } of page) {
      const aggregate = yield* storage.simAggregates.get({ organizationId, iccid })
      if (aggregate !== null) found.push(aggregate)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return found
    after = last.importSequence
  }
})

const viewsOf = Effect.fnUntraced(function* (organizationId: string, lines: ReadonlyArray<SimAggregate.SimAggregate>) {
  const inService = lines.filter(({ subscription }) => subscription?.status === "Live")
  const views = yield* Effect.forEach(inService, ({ sim: { iccid } }) =>
    Attachments.Attachments.use((of) => of.list({ organizationId, iccid }))
  )
  return views.flat().map(({ attachment, packages, ...times }) => ({
    attachmentId: attachment.attachmentId,
    packages: packages.length,
    ...times
  }))
})

const usageOf = Effect.fnUntraced(function* ({ sim: { iccid, organizationId } }: SimAggregate.SimAggregate) {
  const storage = yield* Storage.Storage
  const days = { from: 0, until: Time.END_OF_TIME }
  const entries = yield* storage.usage.entries({ organizationId, iccid, ...days, after: null, limit: 10_000 })
  return { iccid, entries, ofOrganization: { days: 0, sims: 0 } }
})

/** The telco's books as the records that they came from. */
const recordsAt = Effect.fnUntraced(function* (at: Time.Instant) {
  const { mobilePlans, packages, services } = yield* TelcoSimulator.TelcoSimulator
  const all: Array<Simulated.TelcoRecord> = []
  for (const { dataMegaBytes, iccid, packageId: key, status, window } of yield* packages) {
    all.push({ kind: "package", at, key, refusal: null, iccid, window, dataMegaBytes })
    if (status === "suspended") all.push({ kind: "suspension", at, key, refusal: null })
    if (status === "cancelled") all.push({ kind: "cancellation", at, key, refusal: null })
  }
  for (const [iccid, applied] of yield* mobilePlans) {
    all.push({ kind: "mobile plan change", at, key: iccid, refusal: null, iccid, applied })
  }
  for (const [iccid, active] of yield* services) {
    all.push({ kind: "service change", at, key: iccid, refusal: null, iccid, active })
  }
  return all
})

const nothing = {
  lines: [],
  usage: [],
  stock: [],
  views: [],
  events: [],
  records: [],
  calls: [],
  webhooks: [],
  mishaps: []
}

/** All that does not hold, in sentences. No job may be due, and the clock must stand at `now`. */
export const problems = (world: World.World, now: Time.Instant): Promise<ReadonlyArray<string>> =>
  world.run(
    Effect.gen(function* () {
      const records = yield* recordsAt(now)
      const found: Array<string> = []
      const organizations = yield* Storage.Storage.use((of) => of.organizations.page({ after: null, limit: 10_000 }))
      for (const { organizationId } of organizations) {
        const lines = yield* aggregatesOf(organizationId)
        const iccids = new Set(lines.map(({ sim }) => sim.iccid))
        const ofThese = records.filter((record) => !("iccid" in record) || iccids.has(record.iccid))
        const views = yield* viewsOf(organizationId, lines)
        const usage = yield* Effect.forEach(lines, usageOf)
        const history: History.History = {
          seed: 0,
          start: now,
          inventories: [
            { organizationId, iccids: [...iccids] },
            { organizationId: "none", iccids: [] }
          ],
          before: nothing,
          steps: [
            {
              command: { _tag: "Quiet" },
              asked: { _tag: "Quiet" },
              outcome: { _tag: "Answered", answer: { kind: "Done" } },
              began: now,
              ended: now,
              nextDue: null,
              changes: { ...nothing, lines, usage, views, records: ofThese }
            }
          ]
        }
        found.push(
          ...Invariants.check(history, CHECKED).map(({ invariant, message }) => `not held: ${invariant}: ${message}`)
        )
      }
      return found
    })
  )
