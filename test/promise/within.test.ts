/**
 * H1 for hosts of Promises: `simplan.within` a transaction of the host's own `pg` client.
 */
import pg from "pg"
import { createSimplan, fromKnex, fromPg, fromPrisma, type Simplan, type Within } from "simplan/promise"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import * as Databases from "../setup/databases/Databases.ts"
import * as World from "./World.ts"

let database: Databases.Database
let simplan: Simplan
let organizationId: string
const created: Array<string> = []

beforeAll(async () => {
  database = await Databases.create()
  simplan = createSimplan({
    database: database.url,
    webhooks: false,
    telco: World.telco({
      createPackage: async ({ packageId }) => {
        created.push(packageId)
        return { telcoPackageId: `telco-${packageId}`, activationAt: null, expirationAt: null }
      }
    })
  })
  organizationId = (await World.stocked(simplan)).organizationId
  await inTransaction((_, client) => client.query("create table orders (id text primary key)"))
})
afterAll(async () => {
  await simplan.close()
  await database.drop()
})

const connected = async <A>(work: (client: pg.Client) => Promise<A>): Promise<A> => {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const inTransaction = <A>(work: (within: Within, client: pg.Client) => Promise<A>): Promise<A> =>
  connected(async (client) => {
    await client.query("begin")
    const done = await work(simplan.within(fromPg(client)), client)
    await client.query("commit")
    return done
  })

/**
 * The first words of the statements that a creation sends, in a transaction that is rolled back;
 * and what is prepared.
 */
const sentBy = async (client: pg.Client, planId: string): Promise<ReadonlyArray<string>> => {
  await client.query("begin")
  const spied = vi.isMockFunction(client.query) ? vi.mocked(client.query) : vi.spyOn(client, "query")
  spied.mockClear()
  const within = simplan.within(fromPg(client))
  const { id } = await within.subscriptions.create({ organizationId, planId }, { idempotencyKey: "few" })
  const sent = spied.mock.calls.map(([statement]) => statement)
  expect(await within.commands.get(id)).toMatchObject({ state: "pending" })
  await client.query("rollback")
  return sent.map((statement) => {
    const [, word = ""] = /^\s*(\w+)/.exec(String(Reflect.get(Object(statement), "text"))) ?? []
    return Reflect.get(Object(statement), "name") === undefined ? word : `${word}, prepared`
  })
}

/** An order with its eSIM, of a plan that the same transaction makes. */
const order = async (within: Within, client: pg.Client) => {
  const coverageId = await World.europe(simplan, organizationId)
  const plan = { organizationId, name: "Europe", coverageId, dataMegaBytes: 1024, periodDays: 30 }
  const { planId } = await within.plans.create(plan)
  const { id } = await within.subscriptions.create({ organizationId, planId, metadata: "order" })
  await client.query("insert into orders (id) values ($1)", [id])
  return id
}

describe("H1: within a transaction of the host", () => {
  it("a subscription is created once after the commit, and returned by `settled`", async () => {
    const id = await inTransaction(order)
    const subscription = await simplan.subscriptions.settled(id, { timeout: "20 seconds" })
    expect(subscription).toMatchObject({ organizationId, metadata: "order" })
    expect(created.filter((packageId) => packageId.startsWith(subscription.attachmentId))).toHaveLength(1)
    const { iccid } = subscription.sim
    const sms = await inTransaction((within) =>
      within.messages.send({ organizationId, iccid, from: "shop", text: "hi" })
    )
    expect(await simplan.messages.settled(sms.id)).toEqual({ segments: 1 })
    const change = { organizationId, apply: true, label: "Green", iccid } as const
    const { id: changed } = await inTransaction((within) => within.wallet.setMobilePlan(change))
    expect(await simplan.wallet.settled(changed)).toMatchObject({ iccid, applied: true })
    await expect(simplan.wallet.settled(id)).rejects.toMatchObject({ code: "invalid_field", field: "id" })
  })

  it("a rollback leaves nothing", async () => {
    const before = created.length
    let id = ""
    const undone = inTransaction(async (within, client) => {
      id = await order(within, client)
      throw new Error("the host aborts")
    })
    await expect(undone).rejects.toThrow("the host aborts")
    await simplan.drain()
    expect(created).toHaveLength(before)
    await expect(simplan.subscriptions.settled(id)).rejects.toMatchObject({ code: "command_not_found" })
  })

  it("a pause, its end, a move and an import commit or roll back with it", async () => {
    const own = await Databases.create()
    const host = createSimplan({ database: own.url, webhooks: false, telco: "simulator" })
    onTestFinished(async () => {
      await host.close()
      await own.drop()
    })
    const { organizationId: owner, planId } = await World.selling(host)
    const { sim, subscriptionId } = await host.subscriptions.create({ organizationId: owner, planId })
    const of = { organizationId: owner, iccid: sim.iccid }
    const another = { iccid: "8999900000000010990", label: "Green", isEsim: true }
    const state = async () => {
      const { pausedAt, sim: at } = await host.subscriptions.get({ organizationId: owner, subscriptionId })
      const { length } = await host.sims.list({ organizationId: owner }).toArray()
      return { isPaused: pausedAt !== null, iccid: at.iccid, sims: length }
    }
    const run = async (end: "commit" | "rollback", work: (within: Within) => Promise<unknown>) => {
      const client = new pg.Client({ connectionString: own.url })
      await client.connect()
      await client.query("begin")
      await work(host.within(fromPg(client)))
      await client.query(end)
      await client.end()
      await host.drain()
      return state()
    }
    const before = { isPaused: false, iccid: sim.iccid, sims: 3 }
    const all = async ({ sims, subscriptions }: Within) => {
      expect(await sims.import({ organizationId: owner, rows: [another] })).toMatchObject({ imported: 1 })
      await subscriptions.pause(of)
      expect(await subscriptions.get(of)).toMatchObject({ pausedAt: expect.any(Date) })
      const { replacedIccid, sim: next } = await subscriptions.replace(of)
      expect(replacedIccid).toBe(sim.iccid)
      return next.iccid
    }
    expect(await run("rollback", all)).toEqual(before)
    expect(await run("commit", ({ subscriptions }) => subscriptions.pause(of))).toEqual({ ...before, isPaused: true })
    expect(await run("commit", ({ subscriptions }) => subscriptions.resume(of))).toEqual(before)
    let moved = ""
    const after = await run("commit", async (within) => {
      moved = await all(within)
    })
    expect(after).toEqual({ isPaused: true, iccid: moved, sims: 4 })
    expect(moved).not.toBe(sim.iccid)
  })

  it("what can be refused is refused in the call, and the transaction goes on", async () => {
    const id = await inTransaction(async (within, client) => {
      const unknown = within.subscriptions.create({ organizationId, planId: "none" })
      await expect(unknown).rejects.toMatchObject({ code: "plan_not_found" })
      const inNone = within.subscriptions.create({ organizationId: "none", planId: "none" })
      await expect(inNone).rejects.toMatchObject({ code: "organization_not_found" })
      const misspelt = { organizationId, plan: "none" }
      // @ts-expect-error: a field that is not known
      await expect(within.subscriptions.create(misspelt)).rejects.toMatchObject({ code: "invalid_field" })
      return order(within, client)
    })
    await simplan.subscriptions.settled(id)
  })

  it("an idempotency key gives the same command, also in another transaction", async () => {
    const { planId } = await World.plan(simplan, organizationId)
    const create = (within: Within) =>
      within.subscriptions.create({ organizationId, planId }, { idempotencyKey: "order 7" })
    const first = await inTransaction(create)
    expect(await inTransaction(create)).toEqual(first)
    const outcome = simplan.subscriptions.settled(first.id)
    await outcome.catch(() => undefined)
    expect(await inTransaction(create)).toEqual(first)
    const other = (within: Within) =>
      within.subscriptions.create({ organizationId, planId, metadata: "x" }, { idempotencyKey: "order 7" })
    await expect(inTransaction(other)).rejects.toMatchObject({ code: "idempotency_key_reused" })
  })

  /** Waits until the plan is known, and creations read nothing. */
  const untilKnown = (client: pg.Client, planId: string) =>
    vi.waitFor(async () => expect(await sentBy(client, planId)).toHaveLength(3), 20_000)

  it("a creation is one commit once the plan is known, prepared where the connection keeps it", async () => {
    const { planId } = await World.plan(simplan, organizationId, "Few statements")
    const sent = await connected(async (client) => {
      const first = await sentBy(client, planId)
      await untilKnown(client, planId)
      const second = await sentBy(client, planId)
      await client.query("discard all")
      return { first, second, forgotten: await sentBy(client, planId), after: await sentBy(client, planId) }
    })
    const plain = ["savepoint", "with", "release"]
    const prepared = ["savepoint", "with, prepared", "release"]
    expect(sent).toEqual({
      // The first call on a connection finds out which database it is to, and reads the plan.
      first: ["select", "select", ...prepared],
      second: prepared,
      forgotten: ["savepoint", "with, prepared", "rollback", "with", "release"],
      after: plain
    })
    // A pooler gives its clients numbers of its own.
    const pooled = await connected(async (client) => {
      Reflect.set(client, "processID", 0)
      return sentBy(client, planId)
    })
    expect(pooled).toEqual(["select", ...plain])
  })

  it("a creation sees what its transaction has done to the plan, and no other one does", async () => {
    const { planId } = await World.plan(simplan, organizationId, "Archived and back")
    const create = (within: Within) => within.subscriptions.create({ organizationId, planId })
    const coverageId = await World.europe(simplan, organizationId)
    const archived = { code: "plan_archived" }
    await connected(async (client) => {
      await untilKnown(client, planId)
      await client.query("begin")
      const within = simplan.within(fromPg(client))
      await within.plans.archive({ organizationId, planId })
      await expect(create(within)).rejects.toMatchObject(archived)
      await expect(create(within)).rejects.toMatchObject(archived)
      await client.query("rollback")
      await client.query("begin")
      const changing = simplan.within(fromPg(client))
      await changing.plans.archive({ organizationId, planId })
      await changing.plans.unarchive({ organizationId, planId })
      await create(changing)
      await client.query("rollback")
      // A plan of a transaction that was rolled back is not there.
      await client.query("begin")
      const made = await simplan
        .within(fromPg(client))
        .plans.create({ organizationId, name: "Rolled back", coverageId, dataMegaBytes: 1024, periodDays: 30 })
      await client.query("rollback")
      await client.query("begin")
      const gone = simplan.within(fromPg(client)).subscriptions.create({ organizationId, planId: made.planId })
      await expect(gone).rejects.toMatchObject({ code: "plan_not_found" })
      await client.query("rollback")
    })
    // It is archived with the version that it had while it was not, in what was rolled back.
    await simplan.plans.archive({ organizationId, planId })
    await simplan.plans.setPrice({ organizationId, planId, price: "9.00", currency: "USD" })
    await expect(inTransaction(create)).rejects.toMatchObject(archived)
  })

  it("an outcome that is a refusal rejects with its error", async () => {
    const { planId } = await World.plan(simplan, organizationId, "Too many")
    const submitted = await inTransaction((within) =>
      Promise.all(Array.from({ length: 4 }, () => within.subscriptions.create({ organizationId, planId })))
    )
    const outcomes = await Promise.allSettled(submitted.map(({ id }) => simplan.subscriptions.settled(id)))
    const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []))
    expect(reasons[0]).toMatchObject({ name: "NoFreeSimError", code: "no_free_esim" })
  })

  it("a wait ends with its timeout or its signal, and the command goes on", async () => {
    const id = `${organizationId}:00000000-0000-8000-8000-000000000000`
    await expect(simplan.subscriptions.settled(id)).rejects.toMatchObject({ code: "command_not_found" })
    await expect(simplan.subscriptions.settled("7")).rejects.toMatchObject({ code: "invalid_field", field: "id" })
  })
})

describe("H1: the commands of an organization", () => {
  it("are listed and published with their outcome, and one that has not begun is cancelled", async () => {
    // No worker of this process or another one begins them meanwhile.
    const own = await Databases.create()
    const host = createSimplan({ database: own.url, telco: "simulator", worker: false, logger: false })
    try {
      const { organizationId, planId } = await World.selling(host)
      const got: Array<object> = []
      const types = ["command.done", "command.refused"] as const
      await host.on(types, { name: "orders" }, async ({ data, type }) => got.push({ type, ...data }))
      const begun = async <A>(work: (within: Within) => Promise<A>): Promise<A> => {
        const client = new pg.Client({ connectionString: own.url })
        await client.connect()
        try {
          await client.query("begin")
          const done = await work(host.within(fromPg(client)))
          await client.query("commit")
          return done
        } finally {
          await client.end()
        }
      }
      const submitted = await begun(async ({ subscriptions }) => {
        const ids: Array<string> = []
        for (let order = 1; order <= 5; order++) {
          const { id } = await subscriptions.create({ organizationId, planId, metadata: `order ${order}` })
          ids.push(id)
        }
        return ids
      })
      const [cancelled = "", inside = "", ...others] = submitted
      await host.commands.cancel(cancelled)
      await begun(({ commands }) => commands.cancel(inside))
      await host.drain()
      const all = await host.commands.list({ organizationId }).toArray()
      expect(all.map(({ id }) => id)).toEqual(submitted)
      const done = await host.commands.list({ organizationId, state: "done" }).toArray()
      expect(done.map(({ id }) => id).toSorted()).toEqual(others.toSorted())
      expect(await host.commands.get(cancelled)).toMatchObject({
        method: "subscriptions.create",
        metadata: "order 1",
        state: "refused",
        code: "command_cancelled",
        message: "The command was cancelled before it began"
      })
      expect(got).toHaveLength(5)
      const refused = { type: "command.refused", method: "subscriptions.create", code: "command_cancelled" }
      expect(got).toContainEqual(expect.objectContaining({ ...refused, id: inside, metadata: "order 2" }))
      for (const { id, metadata } of done)
        expect(got).toContainEqual(
          expect.objectContaining({ type: "command.done", id, method: "subscriptions.create", metadata })
        )
      await expect(host.subscriptions.settled(cancelled)).rejects.toMatchObject({
        name: "CommandCancelledError",
        status: 409
      })
      await host.commands.cancel(cancelled)
      await expect(host.commands.cancel(others[0] ?? "")).rejects.toMatchObject({
        name: "CommandBegunError",
        code: "command_begun",
        status: 409
      })
      await expect(host.commands.get("7")).rejects.toMatchObject({ code: "invalid_field", field: "id" })
      const unknown = `${organizationId}:00000000-0000-8000-8000-000000000000`
      await expect(host.commands.cancel(unknown)).rejects.toMatchObject({ code: "command_not_found" })
      // @ts-expect-error: no state
      expect(() => host.commands.list({ organizationId, state: "begun" })).toThrow("pending, done, refused")
    } finally {
      await host.close()
      await own.drop()
    }
  })
})

describe("within", () => {
  it("says at once what a transaction has to be", () => {
    // @ts-expect-error: no transaction
    expect(() => simplan.within({})).toThrow("must have a function query(text, values)")
  })

  it("says that it needs PostgreSQL", async () => {
    const inMemory = World.make()
    const { organizations } = inMemory.within({ query: async () => [] })
    await expect(organizations.create({ name: "Acme" })).rejects.toThrow("has to be PostgreSQL")
    await inMemory.close()
  })

  it("finds the database's error in that of Prisma", async () => {
    const fails = async () => {
      // As Prisma 7 throws it over @prisma/adapter-pg.
      const cause = { kind: "TransactionWriteConflict", originalCode: "40001", originalMessage: "could not serialize" }
      const driverAdapterError = Object.assign(new Error("TransactionWriteConflict"), { cause })
      throw Object.assign(new Error("Raw query failed"), { code: "P2010", meta: { driverAdapterError } })
    }
    const prisma = fromPrisma({ $queryRawUnsafe: fails, $executeRawUnsafe: async () => 0 })
    const { organizations } = simplan.within(prisma)
    await expect(organizations.create({ name: "Acme" })).rejects.toThrow(/could not serialize.*40001.*anew/)
  })

  it("speaks to clients in their own ways", async () => {
    const asked: Array<readonly unknown[]> = []
    const note = async (...what: ReadonlyArray<unknown>) => {
      asked.push(what)
      return { rows: [] }
    }
    await fromKnex({ raw: note }).query("select $2 ?| $1", ["a", 2])
    const prisma = fromPrisma({ $queryRawUnsafe: note, $executeRawUnsafe: async (text) => asked.push([text]) })
    await prisma.query("select $1", [true])
    await prisma.query("savepoint simplan", [])
    expect(asked).toEqual([["select ? \\?| ?", [2, "a"]], ["select $1", true], ["savepoint simplan"]])
  })
})
