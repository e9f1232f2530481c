/**
 * H1: what `simplan.within` makes of a transaction that it cannot work in, and of the host's own
 * ways to read values.
 */
import pg from "pg"
import {
  createSimplan,
  fromPg,
  type Simplan,
  SimplanError,
  TransactionConflictError,
  TransactionError,
  type Within
} from "simplan/promise"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Databases from "../setup/databases/Databases.ts"
import * as World from "./World.ts"

let database: Databases.Database
let simplan: Simplan
let organizationId: string
let planId: string

beforeAll(async () => {
  database = await Databases.create()
  simplan = createSimplan({ database: database.url, telco: "simulator", webhooks: false })
  organizationId = (await World.stocked(simplan)).organizationId
  planId = (await World.plan(simplan, organizationId)).planId
})
afterAll(async () => {
  await simplan.close()
  await database.drop()
})

const connected = async <A>(use: (client: pg.Client) => Promise<A>, config: pg.ClientConfig = {}): Promise<A> => {
  const client = new pg.Client({ connectionString: database.url, ...config })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/**
 * One call that writes at once, one that stores a command, one that reads, and one that is refused.
 */
const calls: ReadonlyArray<readonly [string, (within: Within) => Promise<unknown>]> = [
  ["organizations.create", (within) => within.organizations.create({ name: "Never" })],
  ["subscriptions.create", (within) => within.subscriptions.create({ organizationId, planId })],
  ["plans.get", (within) => within.plans.get({ organizationId, planId })],
  ["plans.get of none", (within) => within.plans.get({ organizationId, planId: "none" })]
]

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "It was done",
    (error: unknown) => error
  )

const misuse = async (within: Within, sqlState: string | undefined, message: RegExp, which = calls) => {
  for (const [, call] of which) {
    const error = await rejection(call(within))
    expect(error).toBeInstanceOf(TransactionError)
    expect(error).toMatchObject({ name: "TransactionError", code: "transaction_unusable", status: 409 })
    expect(error instanceof TransactionError && error.sqlState).toBe(sqlState)
    expect(String(error)).toMatch(message)
  }
  const names = (await simplan.organizations.list().toArray()).map(({ name }) => name)
  expect(names).toEqual(["Acme"])
}

describe("H1: a transaction that cannot be used is a TransactionError", () => {
  it("where a pool is handed in, and where the client has begun none", async () => {
    const pool = new pg.Pool({ connectionString: database.url, max: 2 })
    await misuse(simplan.within(fromPg(pool)), "25P01", /client on which the transaction was begun, not its pool/)
    await pool.end()
    await connected((client) => misuse(simplan.within(fromPg(client)), "25P01", /none is open on this connection/))
  })

  it("after the commit, and after the client's end", async () => {
    const within = await connected(async (client) => {
      await client.query("begin")
      const inside = simplan.within(fromPg(client))
      expect(await inside.plans.get({ organizationId, planId })).toMatchObject({ planId })
      await client.query("commit")
      await misuse(inside, "25P01", /only until it ends/)
      return inside
    })
    await misuse(within, undefined, /its client refuses a statement: Client was closed/)
  })

  it("where it is one of another database, also where simplan is on that one too", async () => {
    const other = await Databases.create()
    const another = createSimplan({ database: other.url, telco: "simulator", webhooks: false })
    const config = { connectionString: other.url }
    await connected(async (client) => {
      await client.query("begin")
      await misuse(simplan.within(fromPg(client)), undefined, /one of another database than simplan's/)
    }, config)
    await another.ready()
    await connected(async (client) => {
      await client.query("begin")
      await misuse(simplan.within(fromPg(client)), undefined, /one of another database than simplan's/)
      await client.query("rollback")
    }, config)
    expect(await another.organizations.list().toArray()).toEqual([])
    await another.close()
    await other.drop()
  })

  it("where its connection takes nulls in arrays for texts, and not where the transaction alone has set that back", async () => {
    await connected(
      async (client) => {
        await client.query("begin")
        const why = /cannot be used: its connection has array_nulls = off, but must have on/
        await misuse(simplan.within(fromPg(client)), undefined, why)
        await client.query("set local array_nulls = on")
        expect(await simplan.within(fromPg(client)).plans.get({ organizationId, planId })).toMatchObject({ planId })
        await client.query("rollback")
      },
      { options: "-c array_nulls=off" }
    )
  })

  it("where it is read-only, and reads work in it", async () => {
    await connected(async (client) => {
      await client.query("begin read only")
      const within = simplan.within(fromPg(client))
      expect(await within.plans.get({ organizationId, planId })).toMatchObject({ planId })
      await misuse(within, "25006", /it is read-only/, calls.slice(0, 2))
      await client.query("commit")
    })
  })

  it("where a statement of the host's has failed in it", async () => {
    await connected(async (client) => {
      await client.query("begin")
      await expect(client.query("select 1 / 0")).rejects.toThrow("division by zero")
      await misuse(simplan.within(fromPg(client)), "25P02", /has to be rolled back/)
      await client.query("rollback")
    })
  })

  it("where its user may not use the tables", async () => {
    await connected(async (client) => {
      await client.query("begin; create role stranger; set local role stranger")
      await misuse(simplan.within(fromPg(client)), "42501", /user may not use the tables/, calls.slice(0, 1))
      await client.query("rollback")
    })
  })
})

describe("H1: a conflict of transactions is a TransactionConflictError", () => {
  const conflict = (error: unknown, sqlState: string) => {
    expect(error).toBeInstanceOf(TransactionConflictError)
    expect(error).toMatchObject({ code: "transaction_conflict", status: 409, sqlState, retryable: true })
    expect(String(error)).toContain("roll the transaction back, and begin it anew")
  }

  it("with 40001 where another transaction has changed what it writes", async () => {
    const { planId: ours } = await World.plan(simplan, organizationId, "Serialized")
    await connected(async (client) => {
      await client.query("begin isolation level repeatable read")
      const within = simplan.within(fromPg(client))
      await within.plans.get({ organizationId, planId: ours })
      await simplan.plans.archive({ organizationId, planId: ours })
      conflict(await rejection(within.plans.remove({ organizationId, planId: ours })), "40001")
      await client.query("rollback")
      await client.query("begin isolation level repeatable read")
      await within.plans.remove({ organizationId, planId: ours })
      await client.query("commit")
    })
  })

  it("with 40P01 where two wait for each other", async () => {
    const [one, other] = [
      await World.plan(simplan, organizationId, "One"),
      await World.plan(simplan, organizationId, "Two")
    ]
    await connected((first) =>
      connected(async (second) => {
        await first.query("begin")
        await second.query("begin")
        await simplan.within(fromPg(first)).plans.archive({ organizationId, planId: one.planId })
        await simplan.within(fromPg(second)).plans.archive({ organizationId, planId: other.planId })
        const outcomes = await Promise.all([
          rejection(simplan.within(fromPg(first)).plans.archive({ organizationId, planId: other.planId })).finally(() =>
            first.query("rollback")
          ),
          rejection(simplan.within(fromPg(second)).plans.archive({ organizationId, planId: one.planId })).finally(() =>
            second.query("rollback")
          )
        ])
        const errors = outcomes.filter((outcome) => outcome instanceof SimplanError)
        expect(errors).toHaveLength(1)
        conflict(errors[0], "40P01")
      })
    )
  })
})

describe("H1: what takes longer than a setting of the host's lets it is no outage", () => {
  const retryable = (error: unknown, name: string, sqlState: string) => {
    expect(error).toMatchObject({ name, sqlState, retryable: true, status: 409 })
    expect(String(error)).toMatch(/roll (it|the transaction) back, and begin it anew/)
  }

  /** While another transaction has changed the plan, and waits. */
  const whileLocked = async (limit: string, name: string, sqlState: string) => {
    const { planId: held } = await World.plan(simplan, organizationId, limit)
    await connected((holder) =>
      connected(async (client) => {
        await holder.query("begin")
        await simplan.within(fromPg(holder)).plans.archive({ organizationId, planId: held })
        await client.query(`begin; set local ${limit} = 50`)
        const within = simplan.within(fromPg(client))
        retryable(await rejection(within.plans.remove({ organizationId, planId: held })), name, sqlState)
        expect(await within.plans.get({ organizationId, planId })).toMatchObject({ planId })
        await client.query("rollback")
        await holder.query("rollback")
        await client.query("begin")
        await within.plans.remove({ organizationId, planId: held })
        await client.query("commit")
      })
    )
  }

  it("55P03 of lock_timeout is a TransactionConflictError", () =>
    whileLocked("lock_timeout", "TransactionConflictError", "55P03"))

  it("57014 of statement_timeout is a TransactionError that says to begin anew", () =>
    whileLocked("statement_timeout", "TransactionError", "57014"))

  it.each([
    ["idle_in_transaction_session_timeout", "25P03"],
    ["transaction_timeout", "25P04"]
  ])("%s is a TransactionError with %s, though the host does not listen to its client", async (limit, sqlState) => {
    await connected(async (client) => {
      const { rows } = await client.query("select from pg_settings where name = $1", [limit])
      // Releases before 17 have no transaction_timeout.
      if (rows.length === 0) return
      const ended = new Promise((resolve) => client.once("end", resolve))
      await client.query("begin")
      const within = simplan.within(fromPg(client))
      await within.plans.get({ organizationId, planId })
      await client.query(`set local ${limit} = 50`)
      await ended
      const error = await rejection(within.plans.get({ organizationId, planId }))
      retryable(error, "TransactionError", sqlState)
    })
  })

  it("25P04 of transaction_timeout in the middle of a statement is one then and later", async () => {
    const { planId: held } = await World.plan(simplan, organizationId, "transaction_timeout")
    await connected((holder) =>
      connected(async (client) => {
        const { rows } = await client.query("select from pg_settings where name = 'transaction_timeout'")
        if (rows.length === 0) return
        await holder.query("begin")
        await simplan.within(fromPg(holder)).plans.archive({ organizationId, planId: held })
        await client.query("begin")
        const within = simplan.within(fromPg(client))
        await within.plans.get({ organizationId, planId })
        await client.query("set local transaction_timeout = 300")
        for (const call of [
          () => within.plans.remove({ organizationId, planId: held }),
          () => within.plans.get({ organizationId, planId })
        ]) {
          retryable(await rejection(call()), "TransactionError", "25P04")
        }
        await holder.query("rollback")
      })
    )
  })
})

describe("within", () => {
  const unchanged: ReadonlyArray<readonly [string, (oid: number) => boolean]> = [
    ["of every type but text", (oid) => oid === pg.types.builtins.TEXT],
    ["of text", (oid) => oid !== pg.types.builtins.TEXT],
    ["of every type", () => false]
  ]

  it.each(unchanged)("reads its rows whatever parsers %s the host has set", async (_, isUnchanged) => {
    const types = {
      getTypeParser: (oid: number) => (text: unknown) => (isUnchanged(oid) ? text : `the host's ${text}`)
    }
    await connected(
      async (client) => {
        await client.query("begin")
        const within = simplan.within(fromPg(client))
        expect(await within.plans.get({ organizationId, planId })).toMatchObject({ planId, organizationId })
        expect(await within.organizations.get({ organizationId })).toMatchObject({ name: "Acme" })
        const { id } = await within.subscriptions.create({ organizationId, planId }, { idempotencyKey: "parsed" })
        expect(await within.subscriptions.create({ organizationId, planId }, { idempotencyKey: "parsed" })).toEqual({
          id
        })
        await client.query("rollback")
      },
      { types }
    )
  })

  it("reads its rows from a connection that gives bytes", async () => {
    const config: pg.ClientConfig & { readonly binary: boolean } = { binary: true }
    await connected(async (client) => {
      await client.query("begin")
      const { plans } = simplan.within(fromPg(client))
      expect(await plans.get({ organizationId, planId })).toMatchObject({ planId, organizationId })
      await client.query("rollback")
    }, config)
  })

  it("leaves the rows of the host's own statements to the host's parsers", async () => {
    await connected(
      async (client) => {
        await client.query("begin")
        expect(await fromPg(client).query("select 7 as seven", [])).toMatchObject({ rows: [{ seven: "read as 7" }] })
        await client.query("rollback")
      },
      { types: { getTypeParser: () => (text: unknown) => `read as ${text}` } }
    )
  })
})
