/**
 * H1 and E2 on a PGlite that the host has opened: what is done inside its transactions commits or
 * rolls back with its rows, and everything else takes turns with them. So the tests of a host need
 * no server.
 */
import type { PGlite } from "@electric-sql/pglite"
import { createSimplan, fromPg, type HandlerTransaction, type Options, type Simplan } from "simplan/promise"
import { describe, expect, it, onTestFinished } from "vitest"
import * as Opening from "../../../adapters/pglite/Opening.ts"
import * as Turns from "../../../adapters/pglite/Turns.ts"
import { selling } from "../World.ts"

const opened = async (): Promise<PGlite> => {
  const database = await Opening.inMemory()
  onTestFinished(async () => {
    if (!database.closed) await database.close()
  })
  await database.exec("create table orders (id text primary key, state text not null default 'open')")
  return database
}

const serving = (database: PGlite, options: Partial<Options> = {}): Simplan => {
  const simplan = createSimplan({ database, telco: "simulator", logger: false, ...options })
  onTestFinished(simplan.close)
  return simplan
}

const orders = async (database: PGlite) =>
  (await database.query<{ id: string; state: string }>("select id, state from orders order by id")).rows

describe("a PGlite of the host", () => {
  it("commits an order and its eSIM together, and rolls them back together", async () => {
    const database = await opened()
    const simplan = serving(database)
    const { organizationId, planId } = await selling(simplan)
    const order = (id: string, isPaid: boolean) =>
      database.transaction(async (tx) => {
        await tx.query("insert into orders (id) values ($1)", [id])
        const request = { organizationId, planId, metadata: id }
        const { id: command } = await simplan.within(fromPg(tx)).subscriptions.create(request)
        if (!isPaid) throw new Error("The payment is refused")
        return command
      })
    await expect(order("1", false)).rejects.toThrow("The payment is refused")
    expect(await simplan.commands.list({ organizationId }).toArray()).toEqual([])
    const command = await order("2", true)
    expect(await simplan.subscriptions.settled(command, { timeout: "30 seconds" })).toMatchObject({ metadata: "2" })
    expect(await orders(database)).toEqual([{ id: "2", state: "open" }])
    expect(await simplan.subscriptions.list({ organizationId }).toArray()).toHaveLength(1)
  })

  it("does without a transaction what is asked outside of it, after its end", async () => {
    const database = await opened()
    const simplan = serving(database, { worker: false })
    await simplan.ready()
    const seen: Array<string> = []
    await database.transaction(async (tx) => {
      const { organizationId } = await simplan.within(fromPg(tx)).organizations.create({ name: "Acme" })
      const outside = simplan.organizations.get({ organizationId }).then(({ name }) => void seen.push(`read ${name}`))
      onTestFinished(() => outside)
      await tx.query("select pg_sleep(0.05)")
      seen.push("commits")
    })
    await expect.poll(() => seen).toEqual(["commits", "read Acme"])
    await expect(simplan.within(fromPg(database)).organizations.create({ name: "Beta" })).rejects.toMatchObject({
      code: "transaction_unusable"
    })
  })

  it("settles an event in the host's transaction, once though the handler throws", async () => {
    const database = await opened()
    const simplan = serving(database, { clock: { start: "2026-01-31T12:00:00Z" } })
    const { organizationId, planId } = await selling(simplan)
    let calls = 0
    const transaction: HandlerTransaction<Pick<PGlite, "query">> = (work) =>
      database.transaction((tx) => work(fromPg(tx), tx))
    await simplan.on("command.done", { name: "orders", transaction }, async ({ data }, { client }) => {
      await client.query("update orders set state = 'done' where id = $1", [data.metadata])
      calls += 1
      if (calls === 1) throw new Error("Not yet")
    })
    await database.transaction(async (tx) => {
      await tx.query("insert into orders (id) values ('1')")
      await simplan.within(fromPg(tx)).subscriptions.create({ organizationId, planId, metadata: "1" })
    })
    await simplan.drain()
    expect(calls).toBe(1)
    expect(await orders(database)).toEqual([{ id: "1", state: "open" }])
    await simplan.clock.advanceBy({ by: "1 minute" })
    expect(calls).toBe(2)
    expect(await orders(database)).toEqual([{ id: "1", state: "done" }])
  })

  it("settles an event in a transaction of simplan's own, which `within` takes too", async () => {
    const database = await opened()
    const simplan = serving(database, { clock: { start: "2026-01-31T12:00:00Z" } })
    const { organizationId, planId } = await selling(simplan)
    let calls = 0
    await simplan.on("subscription.created", { name: "own", transaction: true }, async ({ data }, { tx }) => {
      await tx.query("insert into orders (id) values ($1)", [data.metadata])
      await simplan.within(tx).plans.archive({ organizationId, planId })
      calls += 1
      if (calls === 1) throw new Error("Not yet")
    })
    await simplan.subscriptions.create({ organizationId, planId, metadata: "1" })
    await simplan.drain()
    const isArchived = async () => (await simplan.plans.get({ organizationId, planId })).archivedAt !== null
    expect([calls, await orders(database), await isArchived()]).toEqual([1, [], false])
    await simplan.clock.advanceBy({ by: "1 minute" })
    expect([calls, await orders(database), await isArchived()]).toEqual([2, [{ id: "1", state: "open" }], true])
  })

  it("stays open after the service, and is there for the next one", async () => {
    const database = await opened()
    const first = serving(database, { schema: "esim" })
    const { organizationId } = await first.organizations.create({ name: "Acme" })
    await first.close()
    expect(await orders(database)).toEqual([])
    const next = serving(database, { schema: "esim" })
    expect(await next.organizations.get({ organizationId })).toMatchObject({ name: "Acme" })
  })
})

it("rolls back what a connection leaves that is given up amid a transaction", async () => {
  const database = await opened()
  const turns = Turns.make(database)
  await turns.begin()
  const begin = Buffer.from("Q\0\0\0\x0abegin\0", "latin1")
  await database.execProtocolRawStream(new Uint8Array(begin), { onRawData: turns.observe })
  turns.end()
  let isWaiting = true
  const waiting = database.exec("insert into orders (id) values ('1')").then(() => {
    isWaiting = false
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isWaiting).toBe(true)
  expect(database.isInTransaction()).toBe(true)
  await turns.giveUp()
  await waiting
  expect(await orders(database)).toHaveLength(1)
})
