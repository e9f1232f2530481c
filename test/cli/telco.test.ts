/**
 * The simulated telco as a process, and a server that uses it.
 */
import { describe, expect, it, vi } from "vitest"
import * as Databases from "../setup/databases/Databases.ts"
import * as Pooler from "../setup/databases/Pooler.ts"
import * as ServerProcess from "./server/ServerProcess.ts"
import { simplan } from "./Terminal.ts"

vi.setConfig({ testTimeout: 120_000 })

const KEY = "telco-key-of-the-test"

const processes = ServerProcess.forEachTest()

const started = async (options: Omit<ServerProcess.Options, "main" | "cwd">) => {
  const process = processes.start(options)
  return { process, url: await process.listening }
}

const telco = (env: Readonly<Record<string, string>>) =>
  started({ args: ["telco", "--port", "0"], env, last: /\/simulator\/faults .*\n$/ })

const ask = async (url: string, key: string | null, method: string, body?: unknown) => {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json", ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { status: response.status, body: JSON.parse((await response.text()) || "null") }
}

describe("simplan telco", () => {
  it("serves a server, fails on demand, and keeps its books after a kill", async () => {
    const env = { SIMPLAN_TELCO_KEY: KEY }
    const first = await telco(env)
    const server = await started({ env: { ...env, SIMPLAN_TELCO_URL: first.url, SIMPLAN_DATABASE_URL: "memory:" } })
    expect(server.process.fact("telco")).toBe(first.url)
    const { url } = server
    const key = server.process.fact("API key")
    const profiles = await ask(`${url}/v3/coverage-profiles?region_code=EUROPE&label=Green&key=${key}`, null, "GET")
    const plan = await ask(`${url}/v3/plans?key=${key}`, null, "POST", {
      coverage_id: profiles.body.data[0].coverage_id,
      name: "One",
      data_MBs: 100,
      period_days: 30,
      recurring: false,
      throttling: false
    })
    const subscribe = () =>
      ask(`${url}/v3/subscription?key=${key}`, null, "POST", { plan_id: plan.body.plan_id, metadata: "one" })
    const books = async (of: string) => (await ask(`${of}/simulator/books`, KEY, "GET")).body
    const faults = (all: ReadonlyArray<unknown>) => ask(`${first.url}/simulator/faults`, KEY, "PUT", { faults: all })

    const created = await subscribe()
    expect(created.status).toBe(201)
    await faults([{ fault: "refuse", on: "createPackage", message: "Not today", times: 1 }])
    expect(await subscribe()).toMatchObject({ status: 502, body: { code: "telco_refused" } })
    await faults([{ fault: "unavailable", retry_after_seconds: 77, times: 1 }])
    expect(await subscribe()).toMatchObject({ status: 503, body: { code: "telco_unavailable" } })
    expect(await faults([{ fault: "refuse", on: "everything" }])).toMatchObject({ status: 400 })
    const { iccid } = created.body.esimdata
    await faults([{ fault: "slow", delay_millis: 50, iccid }])
    const sms = { from: "Acme", message: "Welcome" }
    expect((await ask(`${url}/v3/subscriptions/${iccid}/send-sms?key=${key}`, null, "POST", sms)).status).toBe(200)
    const before = await books(first.url)
    expect(before).toMatchObject({
      packages: [{ iccid, status: "active", label: "Green", data_mega_bytes: 100, window: null }],
      messages: [{ iccid, from: "Acme", text: "Welcome" }],
      calls: { createPackage: 3, sendSms: 1 }
    })
    expect((await ask(`${first.url}/simulator/books`, "another", "GET")).status).toBe(401)
    expect((await ask(`${first.url}/simulator/books`, null, "GET")).status).toBe(401)

    await first.process.kill("SIGKILL")
    expect((await subscribe()).status).toBe(503)
    const second = await telco(env)
    const { calls: _, ...kept } = await books(second.url)
    expect(before).toMatchObject(kept)
    for (const one of [first, second, server]) expect(one.process.out() + one.process.err()).not.toContain(KEY)
    expect(await second.process.kill("SIGTERM")).toEqual({ code: 0, signal: null })
  })

  it("generates a key if none is set, and keeps it", async () => {
    const env = { SIMPLAN_TELCO_BOOKS: "memory:" }
    const first = await telco(env)
    const key = first.process.fact("key")
    expect((await ask(`${first.url}/simulator/books`, key, "GET")).status).toBe(200)
    await first.process.kill("SIGTERM")
    expect((await telco(env)).process.fact("key")).toBe(key)
  })

  it("names the variable of a direct address where its books are behind a pooler, and takes it", async () => {
    const database = await Databases.create()
    const { hostname, port } = new URL(database.url)
    const pooler = await Pooler.start(hostname, Number(port), { next: "in turn", sessions: 3 })
    const books = Object.assign(new URL(database.url), { port: String(pooler.port) }).href
    try {
      const refused = await simplan(["telco", "--port", "0"], { SIMPLAN_TELCO_BOOKS: books })
      expect([refused.code, refused.out]).toEqual([1, ""])
      expect(refused.err).toContain("or have a direct address beside it in SIMPLAN_TELCO_BOOKS_DIRECT, because")
      const env = { SIMPLAN_TELCO_BOOKS: books, SIMPLAN_TELCO_BOOKS_DIRECT: database.url, SIMPLAN_TELCO_KEY: KEY }
      const { process, url } = await telco(env)
      expect((await ask(`${url}/simulator/books`, KEY, "GET")).status).toBe(200)
      await process.kill("SIGTERM")
    } finally {
      await pooler.close()
      await database.drop()
    }
  })

  it("reports in one sentence that its direct address is none, or beside no PostgreSQL", async () => {
    const at = (direct: string) =>
      simplan(["telco"], { SIMPLAN_TELCO_BOOKS: "memory:", SIMPLAN_TELCO_BOOKS_DIRECT: direct })
    expect((await at("mysql://me:secret@db")).err).toBe(
      'SIMPLAN_TELCO_BOOKS_DIRECT is "mysql://me:***@db", but must be postgres://<user>@<host>/<database>.\n'
    )
    expect((await at("postgres://me@db/books")).err).toBe(
      "SIMPLAN_TELCO_BOOKS_DIRECT is set and SIMPLAN_TELCO_BOOKS names no PostgreSQL: the one is the direct address beside the other's pooler.\n"
    )
  })

  it("reports in one sentence that it cannot keep its books", async () => {
    expect(await simplan(["telco"], { SIMPLAN_TELCO_BOOKS: "mysql://me:secret@db" })).toEqual({
      code: 1,
      out: "",
      err: 'SIMPLAN_TELCO_BOOKS is "mysql://me:***@db", but must be pglite://<directory>, memory: or postgres://<user>@<host>/<database>.\n'
    })
  })
})
