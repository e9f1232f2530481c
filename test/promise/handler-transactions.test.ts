/**
 * E2 and H1: handlers in transactions of the host's own client, here `pg`, on a real PostgreSQL.
 * What the handler writes and the settled delivery commit together, or not at all.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Pool, type PoolClient } from "pg"
import {
  createSimplan,
  fromPg,
  type HandledEvent,
  type HandlerCallInHostTransaction,
  type HandlerTransaction,
  type Logger,
  type Simplan
} from "simplan/promise"
import { beforeAll, describe, expect, it, vi } from "vitest"
import * as BuiltCopy from "../cli/BuiltCopy.ts"
import * as Databases from "../setup/databases/Databases.ts"
import * as World from "./World.ts"

const url = Databases.forEachTest()

let copy: string
beforeAll(async () => {
  copy = join(dirname((await BuiltCopy.shared()).main), "../../..")
}, 120_000)

/** What a test works with. */
interface Host {
  readonly pool: Pool
  /** Begins a transaction as hosts on `pg` do. `beforeCommit` runs when `work` has resolved. */
  readonly transaction: <A>(
    work: (client: PoolClient) => Promise<A>,
    beforeCommit?: (client: PoolClient) => Promise<unknown>
  ) => Promise<A>
  /** Another process of the service, so to say. */
  readonly started: (logger?: Logger) => Simplan
  /** Makes a subscription, and so an event. */
  readonly subscribe: (simplan: Simplan) => Promise<unknown>
  /** Who has sent mail, as others see it. */
  readonly senders: () => Promise<ReadonlyArray<string>>
  /** How the delivery stands, as others see it. */
  readonly delivery: () => Promise<{ status: string; attempts: number; error: string | null } | undefined>
  /** Has the delivery be due, as if its wait and its lease were over. */
  readonly hasten: () => Promise<unknown>
}

const during = async (use: (host: Host) => Promise<void>) => {
  const pool = new Pool({ connectionString: url(), max: 3 })
  const opened: Array<Simplan> = []
  const transaction: Host["transaction"] = async (work, beforeCommit) => {
    const client = await pool.connect()
    try {
      await client.query("begin")
      const done = await work(client)
      await beforeCommit?.(client)
      await client.query("commit")
      return done
    } catch (error) {
      await client.query("rollback").catch(() => undefined)
      throw new Error("The host's own words for a rollback", { cause: error })
    } finally {
      client.release()
    }
  }
  try {
    await pool.query("create table mail (event_id text not null, sender text not null)")
    await use({
      pool,
      transaction,
      started: (logger) => {
        const simplan = createSimplan({ database: url(), telco: "simulator", webhooks: false, logger: logger ?? false })
        opened.push(simplan)
        return simplan
      },
      subscribe: async (simplan) => {
        const { organizationId, planId } = await World.selling(simplan)
        return simplan.subscriptions.create({ organizationId, planId })
      },
      senders: async () =>
        (await pool.query<{ sender: string }>("select sender from mail")).rows.map((row) => row.sender),
      delivery: async () => {
        const columns = "status, attempts, last_error as error"
        return (await pool.query(`select ${columns} from simplan.delivery`)).rows[0]
      },
      hasten: () =>
        pool.query(
          "update simplan.delivery set lease_token = null, lease_until = null, next_attempt_at = 0 where status = 'Pending'"
        )
    })
  } finally {
    await Promise.all(opened.map((simplan) => simplan.close()))
    await pool.end()
  }
}

// No test waits for a second attempt: `hasten` makes it due.
const options = { name: "mailer", waits: ["1 day"], maxAttempts: 10 } as const

type Work = Parameters<HandlerTransaction<unknown>>[0]

const send = ({ eventId }: HandledEvent, { client }: HandlerCallInHostTransaction<PoolClient>, sender: unknown) =>
  client.query("insert into mail (event_id, sender) values ($1, $2)", [eventId, sender])

const gate = () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

/** A logger that keeps what is worse than information. */
const logged = () => {
  const messages: Array<string> = []
  const write = (message: string) => void messages.push(message)
  const logger: Logger = { debug: () => {}, info: () => {}, warn: write, error: write }
  return { messages, logger }
}

describe("a handler in a transaction of the host's own client", { timeout: 60_000 }, () => {
  it("writes its row in the transaction in which its delivery is settled", () =>
    during(async ({ delivery, senders, started, subscribe, transaction }) => {
      const simplan = started()
      const seen: Array<unknown> = []
      const inspect = async (client: PoolClient) => {
        const inside = await client.query("select d.status, m.sender from simplan.delivery d cross join mail m")
        seen.push(inside.rows, await senders(), (await delivery())?.status)
      }
      await simplan.on(
        "subscription.created",
        {
          ...options,
          transaction: (work) => transaction((client) => work(fromPg(client), client), inspect)
        },
        async (event, call) => {
          await send(event, call, "mailer")
          await simplan.within(call.tx).organizations.create({ name: "Made by a handler" })
        }
      )
      await subscribe(simplan)
      await simplan.drain()
      expect(seen).toEqual([[{ status: "Delivered", sender: "mailer" }], [], "Pending"])
      expect([await senders(), await delivery()]).toEqual([
        ["mailer"],
        { status: "Delivered", attempts: 1, error: null }
      ])
      expect((await simplan.organizations.list().toArray()).map(({ name }) => name)).toEqual([
        "Acme",
        "Made by a handler"
      ])
    }))

  it("leaves no row where it throws or the commit fails, and is tried again", () =>
    during(async ({ delivery, hasten, pool, senders, started, subscribe, transaction }) => {
      const simplan = started()
      let calls = 0
      const cut = async (client: PoolClient) => {
        if (calls > 2) return
        client.on("error", () => undefined)
        const { rows } = await client.query("select pg_backend_pid() as pid")
        await pool.query("select pg_terminate_backend($1)", [rows[0].pid])
      }
      await simplan.on(
        "subscription.created",
        { ...options, transaction: (work) => transaction((client) => work(fromPg(client), client), cut) },
        async (event, call) => {
          await send(event, call, `call ${++calls}`)
          if (calls === 1) throw new Error("no mail today")
        }
      )
      await subscribe(simplan)
      await simplan.drain()
      expect([await senders(), await delivery()]).toEqual([
        [],
        { status: "Pending", attempts: 1, error: "no mail today" }
      ])
      await hasten()
      await simplan.drain()
      const words = "The host's own words for a rollback"
      expect([await senders(), await delivery()]).toEqual([[], { status: "Pending", attempts: 2, error: words }])
      await hasten()
      await simplan.drain()
      expect([await senders(), await delivery()]).toEqual([
        ["call 3"],
        { status: "Delivered", attempts: 3, error: null }
      ])
      await simplan.drain()
      expect(calls).toBe(3)
    }))

  it("leaves no row where its process is killed before the commit, and another one handles the event", () =>
    during(async ({ delivery, hasten, senders, started, subscribe, transaction }) => {
      const simplan = started()
      const script = fileURLToPath(new URL("HandlerHost.mjs", import.meta.url))
      const child = spawn(process.execPath, [script, copy, url()], { stdio: ["ignore", "pipe", "inherit"] })
      try {
        expect(String((await once(child.stdout, "data"))[0])).toBe("registered\n")
        const settled = once(child.stdout, "data")
        await subscribe(simplan)
        expect(String((await settled)[0])).toBe("Delivered\n")
      } finally {
        child.kill("SIGKILL")
        await once(child, "exit")
      }
      // Waits until the database has rolled back what the process has left.
      await hasten()
      expect([await senders(), (await delivery())?.status]).toEqual([[], "Pending"])
      await simplan.on(
        "subscription.created",
        { ...options, transaction: (work) => transaction((client) => work(fromPg(client), client)) },
        (event, call) => send(event, call, "other")
      )
      await simplan.drain()
      expect([await senders(), await delivery()]).toEqual([
        ["other"],
        { status: "Delivered", attempts: 1, error: null }
      ])
    }))

  it("leaves no row where its lease was lost, and that is no failure", () =>
    during(async ({ delivery, hasten, senders, started, subscribe, transaction }) => {
      const { logger, messages } = logged()
      const [frozen, other] = [started(logger), started()]
      const [reached, thawed] = [gate(), gate()]
      const outcomes: Array<string> = []
      await frozen.on(
        "subscription.created",
        {
          ...options,
          transaction: (work) =>
            transaction((client) => work(fromPg(client), client)).finally(() => outcomes.push("ended"))
        },
        async (event, call) => {
          await send(event, call, "frozen")
          reached.open()
          await thawed.opened
        }
      )
      await subscribe(frozen)
      await reached.opened
      await frozen.handlers.off("mailer")
      await other.on(
        "subscription.created",
        { ...options, transaction: (work) => transaction((client) => work(fromPg(client), client)) },
        (event, call) => send(event, call, "other")
      )
      await hasten()
      await other.drain()
      expect(await senders()).toEqual(["other"])
      thawed.open()
      await frozen.close()
      expect([await senders(), await delivery(), outcomes, messages]).toEqual([
        ["other"],
        { status: "Delivered", attempts: 1, error: null },
        ["ended"],
        []
      ])
    }))

  it("is rolled back and handed back where the service stops", () =>
    during(async ({ delivery, pool, senders, started, subscribe, transaction }) => {
      const simplan = started()
      const reached = gate()
      const signals: Array<AbortSignal> = []
      await simplan.on(
        "subscription.created",
        { ...options, transaction: (work) => transaction((client) => work(fromPg(client), client)) },
        async (event, call) => {
          await send(event, call, "stopped")
          signals.push(call.signal)
          reached.open()
          await new Promise(() => {})
        }
      )
      await subscribe(simplan)
      await reached.opened
      await simplan.close()
      expect([signals.map(({ aborted }) => aborted), pool.idleCount === pool.totalCount]).toEqual([[true], true])
      expect([await senders(), await delivery()]).toEqual([[], { status: "Pending", attempts: 0, error: null }])
    }))

  it("fails in one sentence where the function begins no transaction, or does not wait", () =>
    during(async ({ delivery, hasten, pool, senders, started, subscribe, transaction }) => {
      const simplan = started()
      const client = await pool.connect()
      const wrong: ReadonlyArray<readonly [(work: Work) => unknown, RegExp]> = [
        [(work) => work(fromPg(client), client), /^The transaction cannot be used: none is open/],
        [
          (work) => transaction((own) => Reflect.apply(work, null, [{}, own])),
          /^on: transaction must have a function query/
        ],
        [(work) => transaction(async (own) => void work(fromPg(own), own)), /^transaction must resolve with what its/],
        [() => undefined, /^transaction must resolve with what its argument resolves with$/],
        [() => Promise.reject(new Error("too many connections")), /^too many connections$/]
      ]
      try {
        for (const [index, [begin, message]] of wrong.entries()) {
          const given = { ...options, transaction: begin }
          await Reflect.apply(simplan.on, simplan, ["subscription.created", given, send])
          await (index === 0 ? subscribe(simplan) : hasten())
          await simplan.drain()
          expect((await delivery())?.error).toMatch(message)
        }
        expect([await senders(), (await delivery())?.attempts]).toEqual([[], wrong.length])
      } finally {
        client.release()
      }
    }))

  it("fails where its transaction has not begun within 60 s, and not later either", () =>
    during(async ({ delivery, hasten, senders, started, subscribe, transaction }) => {
      const simplan = started()
      const late = gate()
      const begun: Array<Promise<unknown>> = []
      const { setTimeout: wait } = globalThis
      const minutes = vi.spyOn(globalThis, "setTimeout")
      minutes.mockImplementation((callback, millis, ...args) => wait(callback, millis === 60_000 ? 0 : millis, ...args))
      try {
        await simplan.on(
          "subscription.created",
          {
            ...options,
            transaction: (work) => {
              const done = late.opened.then(() => transaction((client) => work(fromPg(client), client)))
              begun.push(done)
              return done
            }
          },
          (event, call) => send(event, call, "late")
        )
        await subscribe(simplan)
        await simplan.drain()
      } finally {
        minutes.mockRestore()
      }
      const error = "The transaction has not begun within 60 s"
      expect([begun.length, await delivery()]).toEqual([1, { status: "Pending", attempts: 1, error }])
      late.open()
      await expect(begun[0]).rejects.toMatchObject({ cause: { message: error } })
      expect(await senders()).toEqual([])
      await hasten()
      await simplan.drain()
      expect([await senders(), (await delivery())?.status]).toEqual([["late"], "Delivered"])
    }))
})

it("a handler's own transaction is refused where the service is on no PostgreSQL server", async () => {
  const simplan = World.make()
  const on = (transaction: unknown) =>
    Reflect.apply(simplan.on, simplan, ["subscription.created", { name: "mailer", transaction }, async () => {}])
  await expect(on(async () => {})).rejects.toThrow("on: transaction needs a PostgreSQL server")
  await expect(on("yes")).rejects.toThrow(
    "on: transaction must be true, false, or a function that begins a transaction, not 'yes'"
  )
  await simplan.close()
})
