/**
 * Rule E2 with Promises: handlers of events in the process, and in a transaction on PostgreSQL.
 */
import { Pool } from "pg"
import { createSimplan, type HandledEvent, type HandlerCallInTransaction, type Simplan } from "simplan/promise"
import { describe, expect, it, onTestFinished } from "vitest"
import * as Databases from "../setup/databases/Databases.ts"
import * as World from "./World.ts"

const keep = (simplan: Simplan): Simplan => {
  onTestFinished(simplan.close)
  return simplan
}

const gate = () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

/** Makes a subscription, and so events. */
const subscribe = async (simplan: Simplan) => {
  const { organizationId, planId } = await World.selling(simplan)
  return { organizationId, created: await simplan.subscriptions.create({ organizationId, planId }) }
}

describe("a handler of events", () => {
  it("is called with events of its types, and again where it throws", async () => {
    const logged: Array<unknown> = []
    const write = (_: string, details?: object) => logged.push(details)
    const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: write }
    const simplan = keep(World.make({ clock: { start: "2026-01-31T12:00:00Z" }, logger }))
    const got: Array<HandledEvent<"subscription.created" | "attachment.created">> = []
    const calls: Array<AbortSignal> = []
    await simplan.on(["subscription.created", "attachment.created"], { name: "mailer" }, async (event, { signal }) => {
      calls.push(signal)
      if (calls.length === 1) throw new Error("no mail today")
      got.push(event)
    })
    const { created, organizationId } = await subscribe(simplan)
    await simplan.drain()
    expect(got).toEqual([])
    expect(logged).toEqual([
      expect.objectContaining({ handler: "mailer", attempts: 1, err: new Error("no mail today") })
    ])
    await simplan.clock.advanceBy({ by: "6 seconds" })
    const { iccid } = created.sim
    expect(got.map(({ type }) => type)).toEqual(["subscription.created", "attachment.created"])
    expect(got[0]).toMatchObject({ organizationId, createdAt: new Date("2026-01-31T12:00:00Z"), data: { esim: iccid } })
    expect(await simplan.handlers.list()).toEqual([
      {
        name: "mailer",
        types: ["subscription.created", "attachment.created"],
        organizationId: null,
        createdAt: new Date("2026-01-31T12:00:00Z")
      }
    ])
    expect(await simplan.webhooks.deliveries({ organizationId }).toArray()).toEqual([])
    await simplan.handlers.remove("mailer")
    expect(await simplan.handlers.list()).toEqual([])
  })

  it("is tried by its own schedule, and what was given up is listed and replayed", async () => {
    const simplan = keep(World.make({ clock: { start: "2026-01-31T12:00:00Z" }, logger: false }))
    const calls: Array<Date> = []
    let isBroken = true
    const options = { name: "mailer", waits: ["10 seconds", "1 minute"], maxAttempts: 4 } as const
    await simplan.on("subscription.created", options, async () => {
      calls.push((await simplan.clock.read()).now)
      if (isBroken) throw new Error("no mail today")
    })
    const { created, organizationId } = await subscribe(simplan)
    const { iccid } = created.sim
    await simplan.clock.advanceBy({ by: "30 seconds" })
    const problem = { kind: "HandleEvent", organizationName: "Acme", iccid, attempts: 2 }
    expect(await simplan.problems.list().toArray()).toMatchObject([problem])
    expect(await simplan.problems.list({ organizationId }).toArray()).toMatchObject([problem])
    await simplan.clock.advanceBy({ by: "1 day" })
    expect(calls).toHaveLength(4)
    expect(await simplan.problems.list().toArray()).toEqual([])
    const { items, next } = await simplan.handlers.failed("mailer").page({ size: 1 })
    expect(items).toMatchObject([
      { organizationId, type: "subscription.created", attempts: 4, lastError: "no mail today", data: { esim: iccid } }
    ])
    expect([items[0]?.lastAttemptAt, next]).toEqual([calls[3], null])
    isBroken = false
    const eventId = items[0]?.eventId ?? ""
    await expect(simplan.handlers.replay({ name: "postman" })).rejects.toMatchObject({
      code: "event_handler_not_found"
    })
    await expect(simplan.handlers.replay({ name: "mailer", eventId: "none" })).rejects.toMatchObject({
      code: "delivery_not_found"
    })
    expect(await simplan.handlers.replay({ name: "mailer", eventId })).toEqual({ replayed: 1 })
    await simplan.drain()
    expect(calls).toHaveLength(5)
    expect(await simplan.handlers.failed("mailer").toArray()).toEqual([])
    await simplan.handlers.remove("mailer")
    await simplan.handlers.remove("mailer")
    const entries = await simplan.auditLog.list({ organizationId: null }).toArray()
    expect(entries).toMatchObject([
      { action: "event_handler.remove", resourceId: "mailer", actor: "host" },
      { action: "event_handler.replay", resourceId: "mailer", actor: "host" },
      ...entries.slice(2)
    ])
  })

  it("gives up at once where its options say so", async () => {
    const simplan = keep(World.make({ clock: { start: "2026-01-31T12:00:00Z" }, logger: false }))
    class Hopeless extends Error {}
    const giveUp = (error: unknown) => error instanceof Hopeless
    await simplan.on("subscription.created", { name: "mailer", giveUp }, async () => {
      throw new Hopeless("no such address")
    })
    await subscribe(simplan)
    await simplan.drain()
    expect(await simplan.handlers.failed("mailer").toArray()).toMatchObject([{ attempts: 1 }])
  })

  it("refuses what is wrong in one sentence", async () => {
    const simplan = keep(World.make())
    const handle = async () => {}
    const refusal = (registering: Promise<void>): Promise<string> =>
      registering.then(
        () => "taken",
        (error: unknown) => String(error)
      )
    expect(await refusal(simplan.on("subscription.created", { name: "my mailer" }, handle))).toContain(
      "on: name must be 1 to 100 letters"
    )
    expect(await refusal(simplan.on([], { name: "mailer" }, handle))).toContain("on: types must hold at least one of")
    expect(
      await refusal(simplan.on("subscription.created", { name: "mailer", organizationId: "x" }, handle))
    ).toContain("NotFoundError")
    expect(await refusal(simplan.on("subscription.created", { name: "mailer", transaction: true }, handle))).toContain(
      "on: transaction needs a PostgreSQL server"
    )
    expect(await refusal(simplan.on("subscription.created", { name: "mailer", maxAttempts: 0 }, handle))).toContain(
      "on: maxAttempts must be an integer from 1 to 1000"
    )
    expect(await refusal(simplan.on("subscription.created", { name: "mailer", waits: ["31 days"] }, handle))).toContain(
      "on: waits must be up to 100 waits from 1 ms to 30 days"
    )
    const nothing: unknown = undefined
    expect(
      await refusal(Reflect.apply(simplan.on, simplan, ["subscription.created", { name: "mailer" }, nothing]))
    ).toContain("on: handler must be an async function")
  })
})

describe("a handler in a transaction", () => {
  const url = Databases.forEachTest()

  const started = () => keep(createSimplan({ database: url(), telco: "simulator", logger: false }))

  const options = { name: "mailer", transaction: true } as const

  const during = async (use: (host: Pool) => Promise<void>) => {
    const host = new Pool({ connectionString: url(), max: 2 })
    try {
      await host.query("create table mail (event_id text not null, sender text not null)")
      await use(host)
    } finally {
      await host.end()
    }
  }

  const send = ({ eventId }: HandledEvent, { tx }: HandlerCallInTransaction, sender: string) =>
    tx.query("insert into mail (event_id, sender) values ($1, $2)", [eventId, sender])

  const sent = async (host: Pool) => (await host.query<{ sender: string }>("select sender from mail")).rows

  it(
    "writes once for each event, though it throws and its connection is cut",
    () =>
      during(async (host) => {
        const simplan = started()
        let calls = 0
        let last: HandlerCallInTransaction["tx"] | undefined
        await simplan.on("subscription.created", options, async (event, call) => {
          await send(event, call, `call ${++calls}`)
          if (calls === 1) throw new Error("no mail today")
          if (calls === 2) {
            const pid = "select pg_backend_pid() as pid"
            const { rows } = Object.assign({ rows: [] }, await call.tx.query(pid, []))
            await host.query("select pg_terminate_backend(($1::json->>'pid')::int)", [JSON.stringify(rows[0])])
          }
          if (calls === 3) await simplan.within(call.tx).organizations.create({ name: "Made by a handler" })
          last = call.tx
        })
        await subscribe(simplan)
        for (let attempts = 1; attempts <= 2; attempts++) {
          await simplan.drain()
          expect(await sent(host)).toEqual([])
          const { rows } = await host.query("select status, attempts from simplan.delivery")
          expect(rows).toEqual([{ status: "Pending", attempts }])
          await host.query("update simplan.delivery set next_attempt_at = 0")
        }
        await simplan.drain()
        expect(await sent(host)).toEqual([{ sender: "call 3" }])
        expect((await simplan.organizations.list().toArray()).map(({ name }) => name)).toEqual([
          "Acme",
          "Made by a handler"
        ])
        const { rows } = await host.query("select status, attempts from simplan.delivery")
        expect(rows).toEqual([{ status: "Delivered", attempts: 3 }])
        await simplan.drain()
        expect(calls).toBe(3)
        await expect(last?.query("select 1", [])).rejects.toThrow("The transaction is over")
      }),
    20_000
  )

  it(
    "writes once for each event where a process was frozen until another had taken over",
    () =>
      during(async (host) => {
        const [frozen, other] = [started(), started()]
        const [reached, thawed] = [gate(), gate()]
        let calls = 0
        await frozen.on("subscription.created", options, async (event, call) => {
          if (++calls > 1) throw new Error("frozen")
          await send(event, call, "frozen")
          reached.open()
          await thawed.opened
        })
        await subscribe(frozen)
        await reached.opened
        await other.on("subscription.created", options, (event, call) => send(event, call, "other"))
        // As if the lease were over. Each of the two may claim the event then.
        const over = "update simplan.delivery set lease_token = null, lease_until = null, next_attempt_at = 0"
        while ((await sent(host)).length === 0) {
          await host.query(`${over} where status = 'Pending'`)
          await other.drain()
        }
        expect(await sent(host)).toEqual([{ sender: "other" }])
        thawed.open()
        await frozen.close()
        expect(await sent(host)).toEqual([{ sender: "other" }])
      }),
    20_000
  )
})
