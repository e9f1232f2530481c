/**
 * The service with Promises on PostgreSQL.
 */
import { Client, Pool } from "pg"
import { createSimplan, type Simplan, SmsLimitedError } from "simplan/promise"
import { describe, expect, it, vi } from "vitest"
import * as Databases from "../setup/databases/Databases.ts"
import { foreignUrl, plan, selling, stocked } from "./World.ts"

describe("on PostgreSQL", () => {
  const url = Databases.forEachTest()

  const during = async <A>(database: string | URL, use: (simplan: Simplan) => Promise<A>): Promise<A> => {
    const simplan = createSimplan({ database, telco: "simulator" })
    try {
      return await use(simplan)
    } finally {
      await simplan.close()
    }
  }

  it("keeps what was made, and knows it by its idempotency key after a restart", async () => {
    const key = { idempotencyKey: "order-1" }
    const first = await during(url(), async (simplan) => {
      const { organizationId, planId } = await selling(simplan)
      const request = { organizationId, planId, activePeriod: { start: new Date(), end: new Date("2100-01-01") } }
      return { request, created: await simplan.subscriptions.create(request, key) }
    })
    await during(new URL(url()), async (simplan) => {
      expect(await simplan.subscriptions.create(first.request, key)).toEqual(first.created)
      const { organizationId } = first.request
      const { iccid } = first.created.sim
      const [attachment] = await simplan.attachments.list({ organizationId, iccid }).toArray()
      expect(attachment?.activationAt).toEqual(first.request.activePeriod.start)
      expect(await simplan.subscriptions.list({ organizationId }).toArray()).toHaveLength(1)
      expect(await simplan.drain({ within: "20 seconds" })).toMatchObject({ finished: true })
    })
    const another = { database: foreignUrl(url()), directUrl: foreignUrl(url()), telco: "simulator" } as const
    await using foreign = createSimplan(another)
    expect(await foreign.subscriptions.create(first.request, key)).toEqual(first.created)
    // Another schema is another service.
    const other = createSimplan({ database: url(), schema: "other", telco: "simulator" })
    try {
      expect(await other.organizations.list().toArray()).toEqual([])
    } finally {
      await other.close()
    }
  })

  it.each(["2027-03-15T12:00:00Z", "9999-11-30T23:59:59.999Z", "1971-01-01T00:00:00Z"])(
    "takes what comes at once after the start, on a virtual clock at %s",
    async (start) => {
      const simplan = createSimplan({ database: url(), telco: "simulator", clock: { start } })
      try {
        await simplan.ready()
        const names = Array.from({ length: 60 }, (_, index) => `organization ${index}`)
        await Promise.all(names.map((name) => simplan.organizations.create({ name })))
        const listed = await simplan.organizations.list().toArray()
        expect(listed.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
        await simplan.clock.advanceBy({ by: "1 hour" })
        for (const { organizationId } of listed) {
          const entries = await simplan.auditLog.list({ organizationId, action: "organization.create" }).toArray()
          expect(entries).toHaveLength(1)
        }
      } finally {
        await simplan.close()
      }
    }
  )

  it("gives the events of one SIM ids in their order (W5): of one process exactly, of several by the database's clock", async () => {
    const received = new Map<string, { readonly id: string; readonly timestamp: number }>()
    const webhooks = {
      send: async ({ body }: { readonly body: string }) => {
        const { data, id, timestamp } = JSON.parse(body)
        received.set(data.countryIso2, { id, timestamp })
        return { status: 200 }
      }
    }
    const options = { database: url(), telco: "simulator", webhooks } as const
    const services = [createSimplan(options), createSimplan(options)] as const
    try {
      const { organizationId } = await stocked(services[0])
      const [sim] = await services[0].sims.list({ organizationId }).toArray()
      await services[0].webhooks.create({ organizationId, url: "https://example.com/" })
      const countries = "FR IT DE ES SE NO FI DK PL CZ AT CH BE NL PT GR IE HU RO BG HR SI SK EE LV LT".split(" ")
      const writer = (index: number) => (index % 3 === 0 ? 0 : 1)
      for (const [index, countryIso2] of countries.entries()) {
        const head = { type: "location", id: `r-${index}`, iccid: sim?.iccid ?? "", occurredAt: new Date() } as const
        const report = { ...head, countryIso2, operator: "Operator", rat: "4G", imei: "490154203237518" }
        await services[writer(index)]?.reports.take({ reports: [report] })
      }
      await expect.poll(() => received.size).toBe(countries.length)
      const millisecond = (id: string) => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)
      const ids = countries.map((country) => received.get(country)?.id ?? "")
      for (const [index, id] of ids.entries()) {
        const before = ids.slice(0, index)
        for (const earlier of before.filter((_, of) => writer(of) === writer(index))) expect(earlier < id).toBe(true)
        // The clocks of processes agree to within 100 ms.
        for (const earlier of before) expect(millisecond(earlier)).toBeLessThanOrEqual(millisecond(id) + 100)
      }
      const all = [...received.values()]
      for (const { id, timestamp } of all) expect(Math.floor(millisecond(id) / 1_000)).toBe(timestamp)
    } finally {
      await Promise.all(services.map((one) => one.close()))
    }
  })

  it("limits the SMS to one SIM over all processes together", async () => {
    const options = { database: url(), telco: "simulator", smsLimit: { messages: 50, window: "1 hour" } } as const
    const [one, other] = [createSimplan(options), createSimplan(options)]
    const unlimited = createSimplan({ ...options, smsLimit: "off" })
    try {
      const { organizationId, planId } = await selling(one)
      const { sim } = await one.subscriptions.create({ organizationId, planId })
      const sms = { organizationId, iccid: sim.iccid, from: "Acme", text: "Hello" }
      const later = { organizationId, iccid: (await one.subscriptions.create({ organizationId, planId })).sim.iccid }
      await other.messages.send({ ...sms, ...later })
      for (let times = 0; times < 50; times++) await one.messages.send(sms)
      await expect(one.messages.send(sms)).rejects.toBeInstanceOf(SmsLimitedError)
      // What the first process sent is known to the other one as soon as its notification has
      // arrived.
      let sent = 0
      const sending = () => other.messages.send(sms).then(() => ++sent, String)
      await expect.poll(sending, { interval: 200, timeout: 30_000 }).toContain("SmsLimitedError")
      expect(sent).toBeLessThan(50)
      for (let times = 0; times < 5; times++) await unlimited.messages.send(sms)
    } finally {
      await Promise.all([one.close(), other.close(), unlimited.close()])
    }
  })

  it("shares a pool of the host's, and leaves it open", async () => {
    const pool = new Pool({ connectionString: url(), max: 3 })
    try {
      const simplan = createSimplan({ database: pool, telco: "simulator" })
      const { organizationId, planId } = await selling(simplan)
      await simplan.subscriptions.create({ organizationId, planId })
      expect(pool.totalCount).toBeGreaterThan(0)
      await simplan.close()
      const { rows } = await pool.query("select count(*)::int as count from simplan.subscription")
      expect(rows).toEqual([{ count: 1 }])
    } finally {
      await pool.end()
    }
  })

  it("survives the loss of idle connections of a pool that nobody listens to, also after `close`", async () => {
    const pool = new Pool({ connectionString: url(), max: 2 })
    for (let times = 0; times < 2; times++) {
      const simplan = createSimplan({ database: pool, telco: "simulator" })
      await stocked(simplan)
      await simplan.close()
    }
    expect(pool.listenerCount("error")).toBe(1)
    const admin = new Client({ connectionString: url() })
    await admin.connect()
    await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    )
    await admin.end()
    await expect.poll(() => pool.totalCount).toBe(0)
    await pool.end()
  })

  it("refuses what is no client", async () => {
    const simplan = createSimplan({ database: { client: {} }, telco: "simulator" })
    await expect(simplan.ready()).rejects.toMatchObject({
      name: "InvalidFieldError",
      field: "database",
      message: "createSimplan: database.client is an object, but must be a PgClient of @effect/sql-pg"
    })
    await simplan.close()
  })

  it("refuses a URL that cannot be read", async () => {
    const simplan = createSimplan({ database: "postgres://me:secret@[host/db", telco: "simulator" })
    const error: unknown = await simplan.ready().catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: "InvalidFieldError", field: "database", status: 400 })
    expect(String(error)).toMatch(/createSimplan: database cannot be read as a URL/)
    expect(String(error)).not.toContain("secret")
    await simplan.close()
  })

  it("says within 5 s that a database is not there", async () => {
    const nowhere = new URL(url())
    nowhere.pathname = "/nowhere"
    for (const database of [nowhere, "postgres://me:secret@127.0.0.1:1/db"]) {
      const simplan = createSimplan({ database, telco: "simulator" })
      const error: unknown = await simplan.ready().catch((reason: unknown) => reason)
      expect(error).toMatchObject({ name: "StorageUnavailableError", status: 503 })
      expect(String(error)).not.toContain("secret")
      expect(String(error)).toMatch(/: createSimplan: database names /)
      await simplan.close()
    }
  }, 12_000)

  it("warns of a pool that handlers with transactions may keep whole; with one more, a burst of orders is handled", async () => {
    for (const max of [2, 3]) {
      const pool = new Pool({ connectionString: url(), max })
      const warned: Array<string> = []
      const write = (message: string, more?: object) => void warned.push(`${message} ${JSON.stringify(more)}`)
      const logger = { debug: () => {}, info: () => {}, warn: write, error: write }
      const simplan = createSimplan({
        database: pool,
        schema: `of_${max}`,
        telco: "simulator",
        webhooks: false,
        logger
      })
      const { organizationId } = await stocked(simplan)
      // Without a transaction a handler keeps no connection.
      await simplan.on("subscription.deleted", { name: "other" }, async () => undefined)
      let handled = 0
      await simplan.on("subscription.created", { name: "second", transaction: true }, async (_, { tx }) => {
        await tx.query("select 1", [])
        // Over a second connection.
        await simplan.organizations.get({ organizationId })
        handled += 1
      })
      const warnings = warned.filter((line) => line.startsWith("handlers with transactions may keep all"))
      expect(warnings).toHaveLength(max === 2 ? 1 : 0)
      if (max === 2) expect(warnings[0]).toContain(`{"handler":"second","connections":2,"needed":3}`)
      if (max === 3) {
        const rows = Array.from({ length: 20 }, (_, index) => {
          return { iccid: String(8_933_010_000_000_200_000n + BigInt(index)), label: "Green", isEsim: true }
        })
        await simplan.sims.import({ organizationId, rows })
        const { planId } = await plan(simplan, organizationId)
        await Promise.all(rows.map(({ iccid }) => simplan.subscriptions.create({ organizationId, planId, iccid })))
        await expect.poll(() => handled).toBe(20)
        expect(warned).toEqual([])
      }
      await simplan.close()
      await pool.end()
    }
  })

  it("warns of such a pool on stderr if it has no logger", async () => {
    const stderr = vi.spyOn(console, "error").mockImplementation(() => undefined)
    const pool = new Pool({ connectionString: url(), max: 2 })
    const simplan = createSimplan({ database: pool, telco: "simulator", webhooks: false })
    await simplan.on("subscription.created", { name: "only", transaction: true }, async () => undefined)
    await simplan.ready()
    const lines = stderr.mock.calls.map((line) => line.join(" "))
    expect(lines).toEqual([expect.stringMatching(/^simplan: handlers with transactions may keep all .* only 2 3$/)])
    await simplan.close()
    await pool.end()
    stderr.mockRestore()
  })

  it("has the database's reason where the transaction of a handler cannot commit", async () => {
    const client = new Client(url())
    await client.connect()
    await client.query("create table mail (id int unique deferrable initially deferred)")
    await client.end()
    const simplan = createSimplan({ database: url(), telco: "simulator", webhooks: false, logger: false })
    const options = { name: "mailer", transaction: true, maxAttempts: 1 } as const
    await simplan.on("subscription.created", options, async (_, { tx }) => {
      await tx.query("insert into mail values (1), (1)", [])
    })
    const { organizationId, planId } = await selling(simplan)
    await simplan.subscriptions.create({ organizationId, planId })
    await simplan.drain()
    const [failed] = await simplan.handlers.failed("mailer").toArray()
    expect(failed?.lastError).toBe('duplicate key value violates unique constraint "mail_id_key"')
    await simplan.close()
  })
})
