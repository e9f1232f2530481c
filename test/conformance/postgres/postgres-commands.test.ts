/**
 * H1 in a transaction of the host: commands, and the use cases that need no telco, stand and fall
 * with it; those that call the telco refuse.
 */
import pg from "pg"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Attachments, Commands, Messages, Plans, Services, Settings, Subscriptions, Wallet, Worker } from "simplan"
import { Clocks, type Command, HostTransaction, Storage } from "simplan/ports"
import * as Memory from "simplan/memory"
import * as Postgres from "simplan/postgres"
import { TelcoSimulator } from "simplan/telco-simulator"
import * as Ports from "../../scenarios/Ports.ts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import * as Shop from "../../setup/Shop.ts"

/**
 * When a process finds by itself what it was not notified of, in milliseconds; longer than a slow
 * machine takes.
 */
const POLL = 20_000

const make = async () => {
  const database = await Databases.create()
  const ports = Ports.make(Clocks.system).pipe(Layer.provideMerge(Postgres.layer({ url: Redacted.make(database.url) })))
  const rarePolls = Layer.effect(
    Settings.Settings,
    Effect.map(Settings.Settings, (defaults) => ({ ...defaults, pollMillis: POLL }))
  )
  const layer = Worker.background.pipe(
    Layer.provideMerge(Services.layer),
    Layer.provideMerge(ports),
    Layer.provide(rarePolls)
  )
  const runtime = ManagedRuntime.make(layer)
  const setUp = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create table orders (id int primary key, command text)`
    const iccids = Array.from({ length: 12 }, (_, index) => `893301${String(index + 1).padStart(13, "0")}`)
    return { organizationId: yield* Shop.open(iccids) }
  })
  return { database, runtime, ...(await runtime.runPromise(setUp)) }
}

let world: Awaited<ReturnType<typeof make>>
beforeAll(async () => {
  world = await make()
})
afterAll(async () => {
  await world.runtime.dispose()
  await world.database.drop()
})

type Given = ManagedRuntime.ManagedRuntime.Services<(typeof world)["runtime"]>

const run = <A, E>(effect: Effect.Effect<A, E, Given>) => world.runtime.runPromise(effect)

const inTransaction = <A, E>(effect: Effect.Effect<A, E, Given>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(effect))

const createPlan = Effect.suspend(() => Shop.createPlan(world.organizationId, { name: "France 1 GB" }))

const creation = (planId: string): Command.Request => ({
  _tag: "CreateSubscription",
  planId,
  metadata: "",
  iccid: null,
  activePeriod: null
})

const submit = (planId: string) =>
  Commands.Commands.use((of) =>
    of.submit({ organizationId: world.organizationId, request: creation(planId), idempotencyKey: null })
  )

/** An order with a command, the plan of which is made in the same transaction. */
const order = (id: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { planId } = yield* createPlan
    const { commandId } = yield* submit(planId)
    yield* sql`insert into orders (id, command) values (${id}, ${commandId})`
    return commandId
  })

const packages = TelcoSimulator.TelcoSimulator.use((of) => of.packages)

describe("H1: in a transaction of the host", () => {
  it("a command is carried out once after the commit, soon, and its outcome is notified", async () => {
    const before = (await run(packages)).length
    const commandId = await run(inTransaction(order(1)))
    const began = Date.now()
    const answer = await run(
      Commands.Commands.use((of) => of.settled({ organizationId: world.organizationId, commandId }))
    )
    expect(answer).toMatchObject({ kind: "Created" })
    expect(Date.now() - began).toBeLessThan(POLL - 5_000)
    expect(await run(packages)).toHaveLength(before + 1)
  })

  it("a command that is rolled back leaves nothing, at the telco neither", async () => {
    const before = await run(packages)
    const undone = inTransaction(Effect.andThen(order(2), Effect.fail("the host aborts")))
    expect(await run(Effect.flip(undone))).toBe("the host aborts")
    await run(Worker.Worker.use((worker) => worker.idle))
    expect(await run(packages)).toEqual(before)
    expect(await run(SqlClient.SqlClient.use((sql) => sql`select 1 from orders where id = 2`))).toEqual([])
  })

  it("a refused command leaves the transaction as it was", async () => {
    const ordered = inTransaction(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into orders (id) values (3)`
        return yield* Effect.flip(submit("none"))
      })
    )
    expect(await run(ordered)).toMatchObject({ _tag: "NotFound", resource: "plan" })
    expect(await run(SqlClient.SqlClient.use((sql) => sql`select 1 from orders where id = 3`))).toHaveLength(1)
  })

  it("what calls the telco refuses, and says what to do instead", async () => {
    const before = await run(packages)
    const { organizationId } = world
    const { planId } = await run(createPlan)
    const iccid = "8933010000000000001"
    const calls = {
      "Subscriptions.create": Subscriptions.Subscriptions.use((of) =>
        of.create({ organizationId, planId, metadata: "", iccid: null, activePeriod: null })
      ),
      "Messages.send": Messages.Messages.use((of) => of.send({ organizationId, iccid, from: "shop", text: "hi" })),
      "Wallet.setMobilePlan": Wallet.Wallet.use((of) =>
        of.setMobilePlan({ organizationId, apply: true, label: "Green", iccid })
      ),
      "Commands.settled": Commands.Commands.use((of) => of.settled({ organizationId, commandId: "any" }))
    }
    const refusals = Effect.all(
      Object.values(calls).map((call: Effect.Effect<unknown, unknown, Given>) => Effect.flip(inTransaction(call)))
    )
    for (const [index, refusal] of (await run(refusals)).entries()) {
      const operation = Object.keys(calls)[index]
      expect(refusal).toMatchObject({ _tag: "InsideTransaction", operation })
      expect(String(refusal)).toContain("transaction")
    }
    expect(await run(packages)).toEqual(before)
  })

  it("a suspension and a deletion are part of it, and the telco is called after the commit", async () => {
    const { organizationId } = world
    const { planId } = await run(createPlan)
    const create = Subscriptions.Subscriptions.use((of) =>
      of.create({ organizationId, planId, metadata: "", iccid: null, activePeriod: null })
    )
    const { attachmentId, sim } = await run(create)
    const of = { organizationId, iccid: sim.iccid }
    const both = Effect.gen(function* () {
      yield* (yield* Attachments.Attachments).suspend({ ...of, attachmentId })
      yield* (yield* Subscriptions.Subscriptions).remove(of)
    })
    const status = Effect.map(packages, (all) => all.find((one) => one.iccid === sim.iccid && one.status === "active"))
    await run(Effect.flip(inTransaction(Effect.andThen(both, Effect.fail("the host aborts")))))
    await run(Worker.Worker.use((worker) => worker.idle))
    expect(await run(status)).toBeDefined()
    await run(inTransaction(both))
    await run(Worker.Worker.use((worker) => worker.idle))
    expect(await run(status)).toBeUndefined()
    expect(await run(Effect.flip(Subscriptions.Subscriptions.use((all) => all.get(of))))).toMatchObject({
      _tag: "NotFound"
    })
  })
})

/**
 * Makes plans while commits of others meet conflicts, and one more inside of a transaction that is
 * joined once more.
 */
const together = Effect.gen(function* () {
  const { planId } = yield* createPlan
  const { organizationId } = world
  const storage = yield* Storage.Storage
  const plan = yield* storage.plans.get({ organizationId, planId })
  if (plan === null) return yield* Effect.die("the plan is gone")
  const stale = Effect.flip(storage.commit({ plans: [{ ...plan, version: 7 }] }))
  const all = Array.from({ length: 8 }, () => [
    Effect.as(stale, null),
    Effect.map(createPlan, (made) => made.planId)
  ]).flat()
  const made = yield* Effect.all(all, { concurrency: "unbounded" })
  return made.filter((id) => id !== null)
})

const arePlans = (planIds: ReadonlyArray<string>) =>
  run(
    Plans.Plans.use((of) =>
      Effect.forEach(planIds, (planId) => of.get({ organizationId: world.organizationId, planId }))
    )
  )

it("H1: what is done at the same time inside one transaction keeps what it has written, whatever conflicts others meet", async () => {
  expect(await arePlans(await run(inTransaction(together)))).toHaveLength(8)
  expect(await arePlans(await onClient((client) => within(client, together)))).toHaveLength(8)
})

it("H1: a transaction can be joined inside of itself", async () => {
  const planId = await onClient((client) =>
    within(
      client,
      Effect.map(HostTransaction.within(client)(createPlan), (made) => made.planId)
    )
  )
  expect(await arePlans([planId])).toHaveLength(1)
})

/**
 * Runs inside a transaction that the host has begun on its own connection, and commits it if the
 * work succeeds.
 */
const onClient = async <A>(work: (client: pg.Client) => Promise<A>): Promise<A> => {
  const client = new pg.Client({ connectionString: world.database.url })
  await client.connect()
  try {
    await client.query("begin")
    const done = await work(client)
    await client.query("commit")
    return done
  } finally {
    await client.end()
  }
}

const within = <A, E>(client: pg.Client, effect: Effect.Effect<A, E, Given>) =>
  run(HostTransaction.within(client)(effect))

/** An order as that of `order`, over the host's own client. */
const orderOn = async (client: pg.Client, id: number) => {
  const { planId } = await within(client, createPlan)
  const { commandId } = await within(client, submit(planId))
  await client.query("insert into orders (id, command) values ($1, $2)", [id, commandId])
  return commandId
}

const orders = (id: number) => run(SqlClient.SqlClient.use((sql) => sql`select command from orders where id = ${id}`))

describe("H1: in a transaction on a connection of the host's own", () => {
  it("a command is carried out once after the commit, soon", async () => {
    const before = (await run(packages)).length
    const commandId = await onClient((client) => orderOn(client, 11))
    const began = Date.now()
    const of = { organizationId: world.organizationId, commandId }
    expect(await run(Commands.Commands.use((all) => all.settled(of)))).toMatchObject({ kind: "Created" })
    expect(Date.now() - began).toBeLessThan(POLL - 5_000)
    expect(await run(packages)).toHaveLength(before + 1)
    expect(await orders(11)).toEqual([{ command: commandId }])
  })

  it("what is rolled back leaves nothing, and is seen by nobody else before", async () => {
    const before = await run(packages)
    const undone = onClient(async (client) => {
      const { planId } = await within(client, createPlan)
      const of = { organizationId: world.organizationId, planId }
      expect(
        await within(
          client,
          Plans.Plans.use((plans) => plans.get(of))
        )
      ).toMatchObject({ planId })
      expect(await run(Effect.flip(Plans.Plans.use((plans) => plans.get(of))))).toMatchObject({ _tag: "NotFound" })
      await orderOn(client, 12)
      throw new Error("the host aborts")
    })
    await expect(undone).rejects.toThrow("the host aborts")
    await run(Worker.Worker.use((worker) => worker.idle))
    expect(await run(packages)).toEqual(before)
    expect(await orders(12)).toEqual([])
  })

  it("a refusal or a conflict leaves the transaction as it was", async () => {
    const key = { organizationId: world.organizationId, idempotencyKey: "order-13" }
    await onClient(async (client) => {
      const { planId } = await within(client, createPlan)
      await within(client, submit(planId))
      expect(await within(client, Effect.flip(submit("none")))).toMatchObject({ _tag: "NotFound", resource: "plan" })
      const other = createPlan
      const both = await Promise.all([within(client, other), within(client, other), within(client, submit(planId))])
      expect(both).toHaveLength(3)
      const request = creation(planId)
      const first = await within(
        client,
        Commands.Commands.use((all) => all.submit({ ...key, request }))
      )
      expect(
        await within(
          client,
          Commands.Commands.use((all) => all.submit({ ...key, request }))
        )
      ).toEqual(first)
      const plan = await within(
        client,
        Storage.Storage.use((storage) => storage.plans.get({ ...key, planId }))
      )
      if (plan === null) throw new Error("the plan is gone")
      const stale = Storage.Storage.use((storage) => storage.commit({ plans: [{ ...plan, version: 7 }] }))
      expect(await within(client, Effect.flip(stale))).toEqual(new Storage.Conflict({ on: "version" }))
      await client.query("insert into orders (id) values (13)")
    })
    expect(await orders(13)).toHaveLength(1)
    await run(Worker.Worker.use((worker) => worker.idle))
  })

  it("a command whose key another transaction has just committed is found", async () => {
    const { planId } = await run(createPlan)
    const submission = { organizationId: world.organizationId, request: creation(planId), idempotencyKey: "order-14" }
    const keyed = Commands.Commands.use((all) => all.submit(submission))
    const [first, second] = await Promise.all([
      onClient(async (client) => {
        const made = await within(client, keyed)
        await client.query("select pg_sleep(0.2)")
        return made
      }),
      onClient(async (client) => {
        await client.query("select pg_sleep(0.1)")
        return within(client, keyed)
      })
    ])
    expect(second).toEqual(first)
    await run(Worker.Worker.use((worker) => worker.idle))
  })

  it("a transaction that can only be begun anew fails at once: no second try inside of it would succeed", async () => {
    const { planId } = await run(createPlan)
    const keyed = (idempotencyKey: string) =>
      Commands.Commands.use((all) =>
        all.submit({ organizationId: world.organizationId, request: creation(planId), idempotencyKey })
      )
    const began = Date.now()
    const old = onClient(async (client) => {
      await client.query("set transaction isolation level repeatable read")
      await client.query("select 1")
      await onClient((other) => within(other, keyed("order-15")))
      await within(client, keyed("order-15"))
    })
    await expect(old).rejects.toThrow(/40001.*anew/)
    // Each waits for the row of the other's key, once both have their own.
    let [begun, bothBegun] = [0, () => {}]
    const bothHave = new Promise<void>((resolve) => {
      bothBegun = resolve
    })
    const crosswise = (first: string, second: string) =>
      onClient(async (client) => {
        await within(client, keyed(first))
        if (++begun === 2) bothBegun()
        await bothHave
        await within(client, keyed(second))
      })
    const both = await Promise.allSettled([crosswise("order-16", "order-17"), crosswise("order-17", "order-16")])
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
    expect(String(both.find((one) => one.status === "rejected")?.reason)).toMatch(/40P01.*anew/)
    expect(Date.now() - began).toBeLessThan(20_000)
    await run(Worker.Worker.use((worker) => worker.idle))
  })

  it("what calls the telco refuses", async () => {
    const of = { organizationId: world.organizationId, iccid: "8933010000000000001", from: "shop", text: "hi" }
    await onClient(async (client) => {
      const refusal = await within(client, Effect.flip(Messages.Messages.use((all) => all.send(of))))
      expect(refusal).toMatchObject({ _tag: "InsideTransaction" })
    })
  })

  it("needs PostgreSQL", async () => {
    const refusal = Effect.flip(HostTransaction.within({ query: async () => [] })(Effect.void))
    expect(await Effect.runPromise(Effect.provide(refusal, Memory.layer))).toMatchObject({
      _tag: "InvalidField",
      message: expect.stringContaining("PostgreSQL")
    })
  })
})
