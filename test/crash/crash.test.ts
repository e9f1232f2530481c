/**
 * A server on an embedded store is killed again and again in the middle of writes. Whatever it acknowledged is there
 * afterwards, nothing is there twice, and what was asked for again had one effect.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import * as Pglite from "simplan/pglite"
import { SqlBooks, TelcoSimulator } from "simplan/telco-simulator"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as BuiltCopy from "../cli/BuiltCopy.ts"
import * as ServerProcess from "../cli/server/ServerProcess.ts"
import * as Receiver from "../faults/Receiver.ts"
import * as Clients from "./Clients.ts"
import * as Ledger from "./Ledger.ts"

const ROUNDS = 25
const SIMS = 3_000

let main: string
let cwd: string
let receiver: Receiver.Receiver

beforeAll(async () => {
  main = (await BuiltCopy.shared()).main
  cwd = mkdtempSync(join(tmpdir(), "simplan-crash-"))
  receiver = await Receiver.start()
}, 120_000)

afterAll(async () => {
  await receiver?.close()
  if (cwd !== undefined) rmSync(cwd, { recursive: true, force: true })
})

const start = (): ServerProcess.ServerProcess =>
  ServerProcess.start({
    main,
    cwd,
    env: { SIMPLAN_RATE_LIMIT: "off", SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true" }
  })

const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

interface Body<Data> {
  readonly data: Data
}

/** The answer's `data`, whose form the caller knows. */
const data = <Data>(body: unknown, _form: Data): Data => {
  const isBody = (value: unknown): value is Body<Data> => typeof value === "object" && value !== null && "data" in value
  if (!isBody(body)) throw new Error(`There is no data in ${JSON.stringify(body)}`)
  return body.data
}

const accessOf = async (server: ServerProcess.ServerProcess, planId = ""): Promise<Clients.Access> => ({
  url: await server.listening,
  key: server.fact("API key"),
  adminToken: server.fact("admin token"),
  telcoToken: server.fact("telco token"),
  planId
})

/** A plan, SIMs enough for all rounds, and somebody to call. */
const prepare = async (access: Clients.Access): Promise<string> => {
  const headers = { authorization: `Bearer ${access.adminToken}` }
  const admin = (path: string, status: number, body?: unknown) =>
    Clients.ask(access.url, status, { path: `/admin/v1${path}`, headers, body })
  const [organization] = data(await admin("/organizations", 200), [{ organization_id: "" }])
  const of = `/organizations/${organization?.organization_id}`
  const rows = Array.from(
    { length: SIMS },
    (_, index) => `8999901${String(index).padStart(12, "0")},Green,true,LPA:1$x$${index}`
  )
  await admin(`${of}/sims`, 200, `iccid,label,is_esim,lpa\n${rows.join("\n")}\n`)
  await admin(`${of}/webhook-endpoints`, 201, { url: receiver.url, events: ["attachment.allowanceConsumed"] })
  const path = `/v3/coverage-profiles?region_code=EUROPE&label=Green&key=${access.key}`
  const [profile] = data(await Clients.ask(access.url, 200, { path }), [{ coverage_id: "" }])
  const plan = await Clients.ask(access.url, 201, {
    path: `/v3/plans?key=${access.key}`,
    body: {
      name: "Crash",
      coverage_id: profile?.coverage_id,
      data_MBs: Ledger.ALLOWANCE,
      period_days: 30,
      recurring: false,
      throttling: false
    }
  })
  return typeof plan === "object" && plan !== null && "plan_id" in plan ? String(plan.plan_id) : ""
}

const subscriptions = async (access: Clients.Access) =>
  data(await Clients.ask(access.url, 200, { path: `/v3/subscription?key=${access.key}` }), [
    { subscription_id: "", metadata: "", esim: { iccid: "" } }
  ])

const attachments = async (access: Clients.Access, iccid: string) =>
  data(await Clients.ask(access.url, 200, { path: `/v3/subscriptions/${iccid}/plan-attachments?key=${access.key}` }), [
    { plan_attachment_id: "", used_allowance: { dataBytes: 0 } }
  ])

/** Every acknowledged subscription is there, as it was acknowledged; gives all that are there. */
const expectAcknowledged = async (access: Clients.Access, ledger: Ledger.Ledger) => {
  const there = await subscriptions(access)
  const byKey = new Map(there.map((one) => [one.metadata, one]))
  for (const { created, idempotencyKey } of ledger.orders) {
    if (created === null) continue
    expect(byKey.get(idempotencyKey)).toMatchObject({
      subscription_id: created.subscription_id,
      esim: { iccid: created.esimdata.iccid }
    })
  }
  expect(byKey.size).toBe(there.length)
  expect(new Set(there.map((one) => one.esim.iccid)).size).toBe(there.length)
  return there
}

/** The packages that the simulated telco has in its books. */
const booked = (): Promise<ReadonlyArray<TelcoSimulator.SimulatedPackage>> =>
  Effect.runPromise(
    TelcoSimulator.TelcoSimulator.use((telco) => telco.packages).pipe(
      Effect.provide(
        TelcoSimulator.layer().pipe(
          Layer.provide(SqlBooks.layer),
          Layer.provide(Pglite.layer({ dataDir: join(cwd, ".simplan/data") }))
        )
      )
    )
  )

describe("a server that is killed in the middle of writes", () => {
  it(`loses nothing that it acknowledged, and does nothing twice, in ${ROUNDS} rounds`, async () => {
    const ledger = new Ledger.Ledger()
    let server = start()
    const planId = await prepare(await accessOf(server))

    for (let round = 1; round <= ROUNDS; round++) {
      const access = await accessOf(server, planId)
      await expectAcknowledged(access, ledger)
      const clients = Clients.run(access, ledger)
      // From shortly after the first request to well within the work, at another point each time; on a busy machine
      // not before there is some.
      await Promise.race([sleep(20 + ((round * 137) % 400)), clients])
      while (ledger.orders.length <= round) await Promise.race([sleep(5), clients])
      expect(await server.kill("SIGKILL")).toEqual({ code: null, signal: "SIGKILL" })
      await clients
      server = start()
    }

    const access = await accessOf(server, planId)
    await Clients.finish(access, ledger)
    expect(ledger.reports.every((one) => one.isAcknowledged)).toBe(true)
    const there = await expectAcknowledged(access, ledger)
    expect(ledger.orders.length).toBeGreaterThan(ROUNDS)
    expect(there).toHaveLength(ledger.orders.length)

    // What is asked for again is answered again, and changes nothing.
    for (const order of ledger.orders) expect(await Clients.subscribe(access, order)).toEqual(order.created)
    for (let from = 0; from < ledger.reports.length; from += 1_000) {
      const some = ledger.reports.slice(from, from + 1_000)
      expect(await Clients.report(access, some)).toEqual({ accepted: 0, duplicates: some.length, rejected: [] })
    }
    expect(await subscriptions(access)).toHaveLength(ledger.orders.length)

    const attached: Array<string> = []
    for (const { esim } of there) {
      const list = await attachments(access, esim.iccid)
      expect(list).toMatchObject([{ used_allowance: { dataBytes: Ledger.USED } }])
      attached.push(...list.map((one) => one.plan_attachment_id))
    }

    // Each threshold of each attachment is one event, under one id however often it came.
    const causes = new Map<string, Set<string>>()
    const count = (): number => {
      for (const { data: consumed, id } of receiver.events.splice(0)) {
        const cause = `${consumed["attachmentId"]} ${consumed["usagePercentage"]}`
        causes.set(cause, (causes.get(cause) ?? new Set()).add(id))
      }
      return causes.size
    }
    const expected = attached.flatMap((id) => Ledger.THRESHOLDS.map((threshold) => `${id} ${threshold}`))
    for (let waits = 0; count() < expected.length && waits < 200; waits++) await sleep(100)
    expect([...causes.keys()].sort()).toEqual([...expected].sort())
    for (const ids of causes.values()) expect(ids.size).toBe(1)
    expect(new Set([...causes.values()].flatMap((ids) => [...ids])).size).toBe(expected.length)

    expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null })
    const packages = await booked()
    expect(packages.map((one) => one.packageId).sort()).toEqual(attached.map((id) => `${id}:0`).sort())
    expect(packages.every((one) => one.status === "active")).toBe(true)
  }, 900_000)
})
