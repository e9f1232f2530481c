/**
 * The drill of a restore (rule S5), over PostgreSQL and the fake of the charging system: a backup,
 * an hour of sales, the restore, and sales again. Nothing is sold twice, no customer loses what was
 * paid, and every difference is listed.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Clock, Context, Effect, Layer, Logger, Redacted, type Scope, Stream } from "effect"
import {
  Attachments,
  Catalogues,
  Organizations,
  Pauses,
  Plans,
  Problems,
  Replacements,
  Services,
  Sims,
  Subscriptions,
  Time,
  Worker
} from "simplan"
import { StandardCatalogue } from "simplan/catalogue"
import { Clocks, Problem, WebhookSender } from "simplan/ports"
import * as Postgres from "simplan/postgres"
import { describe, expect, it, onTestFinished } from "vitest"
import * as Machine from "../../../adapters/simulation/Machine.ts"
import { SqlJournal } from "../../../adapters/telco-calls/index.ts"
import { HttpApi, Ocs, Reporting } from "../../../adapters/telco-ocs/index.ts"
import * as Fake from "../../fakes/ocs/Fake.mjs"
import * as Databases from "../../setup/databases/Databases.ts"

const START = Date.parse("2026-11-25T12:00:00Z")

/** How far the clock of the service and of the charging system is ahead of the machine's. */
let ahead = START - Date.now()

const shifted = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.clockWith((clock) =>
    Effect.provideService(effect, Clock.Clock, {
      currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + ahead),
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + ahead,
      currentTimeNanos: clock.currentTimeNanos,
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
      monotonicTimeNanos: clock.monotonicTimeNanos,
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      sleep: (duration) => clock.sleep(duration)
    })
  )

const pass = (millis: number) =>
  Effect.sync(() => {
    ahead += millis
  })

const SIMS = 14

const iccid = (index: number) => Fake.iccidOf(index + 1)

/** A process of the service over the database. */
const make = (url: string, ocs: Fake.Fake, seed: number) =>
  Effect.gen(function* () {
    const database = yield* Layer.build(Postgres.layer({ url }))
    const journal = yield* Layer.build(Layer.provide(SqlJournal.layer, Layer.succeedContext(database)))
    const api = yield* Layer.build(
      HttpApi.layer({
        ...{ url: ocs.url, urlUsage: ocs.urlUsage, urlV2: ocs.urlV2 },
        ...{ token: Redacted.make("ocs-token"), resellerId: 1, callsPerSecond: 1_000 }
      })
    )
    const below = Layer.merge(Layer.succeedContext(api), Layer.succeedContext(journal))
    const zones = { Green: { EUROPE: 28, FR: 27 } }
    const settings = { telco: "ocs", resellerId: 1, zones, mobilePlanId: 10, listLag: 0 }
    const telco = yield* Layer.build(Layer.provide(Ocs.layer(settings), below))
    const clock = Layer.succeed(Clocks.BusinessClock, { now: Clock.currentTimeMillis, set: null })
    const sender = Layer.succeed(WebhookSender.WebhookSender, { send: () => Effect.succeed({ status: 200 }) })
    const services = yield* Layer.build(
      Services.layer.pipe(
        Layer.provide([Layer.succeedContext(database), StandardCatalogue.layer, Machine.crypto(seed), clock, sender]),
        Layer.provide(Layer.succeedContext(telco))
      )
    )
    const options = {
      ...{ telco: "ocs", fastest: 10 * Time.SECOND, slowest: 6 * Time.HOUR },
      meter: Reporting.makeMeter(10_000)
    }
    const all = Layer.mergeAll(below, Layer.succeedContext(services), Layer.succeedContext(telco))
    return {
      services,
      work: Context.get(services, Worker.Worker).drain,
      drain: Effect.provide(Reporting.drain(options), all),
      compareAll: Effect.provide(Reporting.compareAll("ocs"), Layer.succeedContext(journal)),
      comparison: Effect.provide(Reporting.comparison("ocs"), Layer.succeedContext(journal))
    }
  })

type Process = Effect.Success<ReturnType<typeof make>>

/** What the charging system has on a SIM that is there and active. */
const there = (ocs: Fake.Fake, on: string) =>
  ocs.books().packages.filter((one) => one.iccid === on && one.deletedAt === null && one.isActive)

const drill = Effect.gen(function* () {
  const start = () => Fake.start({ subscribers: SIMS, now: () => Date.now() + ahead })
  const ocs = yield* Effect.acquireRelease(Effect.promise(start), (fake) => Effect.promise(() => fake.close()))
  const live = yield* Effect.promise(() => Databases.create())
  const within = <A, E>(url: string, seed: number, use: (process: Process) => Effect.Effect<A, E, Scope.Scope>) =>
    Effect.scoped(Effect.flatMap(make(url, ocs, seed), use))

  // A shop with SIMs, two of them sold before the backup.
  const shop = yield* within(live.url, 1, ({ services, work }) =>
    Effect.gen(function* () {
      const { organizationId } = yield* Context.get(services, Organizations.Organizations).create({ name: "Acme" })
      const rows = Array.from({ length: SIMS }, (_, index) => ({
        ...{ iccid: iccid(index), label: "Green", isEsim: true, lpa: `LPA:1$smdp.example$${index}` }
      }))
      yield* Context.get(services, Sims.Sims).importRows({ organizationId, rows: Stream.fromIterable(rows) })
      const { profiles } = yield* Context.get(services, Catalogues.Catalogues).current
      const profile = profiles.find(({ label, regionCode }) => label === "Green" && regionCode === "EUROPE")
      const coverageId = profile?.coverageId ?? ""
      const terms = { name: "1 GB", coverageId, dataMegaBytes: 1024, periodDays: 30, throttling: [], recurrence: null }
      const { planId } = yield* Context.get(services, Plans.Plans).create({ organizationId, terms })
      const request = { organizationId, planId, metadata: "", activePeriod: null }
      const { create } = Context.get(services, Subscriptions.Subscriptions)
      const first = yield* create({ ...request, iccid: null })
      const second = yield* create({ ...request, iccid: null })
      yield* work
      return { organizationId, request, first, second }
    })
  )
  const { first, organizationId, request, second } = shop
  const of = (on: string) => ({ organizationId, iccid: on })
  yield* pass(20 * Time.MINUTE)

  // The backup, and an hour of sales.
  const backup = `backup_${live.name}`
  const admin = <A, E>(use: (client: PgClient.PgClient) => Effect.Effect<A, E>) =>
    Effect.provide(
      PgClient.PgClient.use(use),
      PgClient.layer({ url: Redacted.make(Databases.adminUrl()), maxConnections: 1 })
    )
  yield* admin((client) => client.unsafe(`create database "${backup}" template "${live.name}"`))
  onTestFinished(() =>
    Effect.runPromise(
      Effect.asVoid(admin((client) => client.unsafe(`drop database if exists "${backup}" with (force)`)))
    )
  )
  const lost = yield* within(live.url, 2, ({ services, work }) =>
    Effect.gen(function* () {
      const { create } = Context.get(services, Subscriptions.Subscriptions)
      const sold: Array<string> = []
      for (let sale = 0; sale < 5; sale++) {
        sold.push((yield* create({ ...request, iccid: null })).sim.iccid)
        yield* pass(10 * Time.MINUTE)
      }
      // A further plan, a pause and a suspension of what the backup knows.
      yield* create({ ...request, iccid: first.sim.iccid })
      yield* Context.get(services, Pauses.Pauses).pause(of(second.sim.iccid))
      const { attachmentId } = second
      yield* Context.get(services, Attachments.Attachments).suspend({ ...of(second.sim.iccid), attachmentId })
      yield* work
      return sold
    })
  )
  yield* Effect.promise(() => live.drop())
  const paid = lost.map((on) => there(ocs, on).map(({ id }) => id))
  expect(paid.every(({ length }) => length === 1)).toBe(true)

  // The restore, and what the page says: all SIMs are compared before the service sells again.
  return yield* within(Databases.urlOf(backup), 3, (restored) =>
    Effect.gen(function* () {
      const { services, work } = restored
      const listed = Effect.map(
        Context.get(services, Problems.Problems).page({ after: null, limit: 100 }),
        ({ items }) => items
      )
      yield* pass(30 * Time.MINUTE)
      const { create } = Context.get(services, Subscriptions.Subscriptions)
      // Even a sale before that is none of a SIM of a later customer.
      const early = yield* create({ ...request, iccid: null })
      yield* restored.compareAll
      for (let turn = 0; turn < 60; turn++) {
        yield* restored.drain
        yield* work
        if ((yield* restored.comparison)?.doneAt != null) break
        yield* pass(3 * Time.SECOND)
      }
      const progress = yield* restored.comparison
      for (let turn = 0; turn < 4; turn++) {
        yield* pass(8 * Time.MINUTE)
        yield* restored.drain
        yield* work
      }
      const again: Array<string> = [early.sim.iccid]
      for (let sale = 0; sale < 3; sale++) again.push((yield* create({ ...request, iccid: null })).sim.iccid)
      const moved = yield* Context.get(services, Replacements.Replacements).replace(of(first.sim.iccid))
      again.push(moved.sim.iccid)
      yield* work
      const problems = yield* listed
      return { ocs, lost, paid, again, progress, problems, first, second }
    })
  )
})

describe("S5: after a restore of a backup from before an hour of sales", () => {
  it("nothing is sold twice, nobody loses what was paid, and every difference is listed", async () => {
    await Effect.gen(function* () {
      const { again, first, lost, ocs, paid, problems, progress, second } = yield* drill
      // No SIM of a later customer is sold, or moved to, and all of them keep their package.
      expect(again.filter((on) => lost.includes(on))).toEqual([])
      expect(new Set(again).size).toBe(again.length)
      for (const [index, on] of lost.entries()) expect(there(ocs, on).map(({ id }) => id)).toEqual(paid[index])
      for (const on of again) expect(there(ocs, on)).toHaveLength(1)
      // The comparison has an end that is seen.
      expect(progress?.doneAt).not.toBeNull()
      expect(progress?.unanswered).toBe(0)
      const ids = problems.map(({ jobId, work }) => ("iccid" in work ? `${work._tag} ${work.iccid}` : jobId))
      // Each later customer's SIM, and each change of the hour to what the backup knows.
      for (const on of lost) expect(ids).toContain(`CancelPackages ${on}`)
      const findings = problems.map(({ jobId, work }) => [jobId.replace(/\/[^/]*$/, ""), Problem.sides(work)?.theirs])
      expect(findings).toContainEqual([`review:ocs/unordered/${first.sim.iccid}`, expect.stringContaining("package")])
      expect(findings).toContainEqual(["review:ocs/service", "SUSPENDED"])
      expect(findings).toContainEqual(["review:ocs/inactive", "not active"])
      expect(second.sim.iccid).not.toBe(first.sim.iccid)
    }).pipe(Effect.scoped, shifted, Effect.provide(Logger.layer([])), Effect.runPromise)
  }, 120_000)
})
