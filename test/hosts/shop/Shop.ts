/**
 * `examples/shop` as its developer runs it: processes over one database, with a supplier and a mail
 * service that are fakes over real sockets. `SHOP` names the folder in which it is installed.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import pg from "pg"
import * as Databases from "../../setup/databases/Databases.ts"
import * as Leaks from "../../setup/Leaks.ts"
import type * as Supplier from "../../telco-esim-go/Supplier.ts"
import * as SupplierServer from "../../telco-esim-go/SupplierServer.ts"

const folder = process.env["SHOP"] ?? ""

/** What the shop sells, each for twice what it costs. */
const BUNDLES: ReadonlyArray<Supplier.Bundle> = [1, 2, 3, 5, 10].map((gigaBytes) => ({
  name: `esim_${gigaBytes}GB_7D_GB_V2`,
  cents: 200 + 25 * gigaBytes,
  megaBytes: 1_000 * gigaBytes,
  days: 7
}))

const decimal = (cents: number): string => (cents / 100).toFixed(2)

const PAYMENTS_TOKEN = "token-of-the-payment-provider"

/** What the supplier's callbacks come to. */
export const CALLBACKS = "secret-of-the-callbacks"

/** A mail that was sent; the same key again sends nothing. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** A running process of the shop. */
export interface Instance {
  readonly url: string
  readonly kill: () => Promise<void>
}

export interface Shop {
  readonly organizationId: string
  readonly databaseUrl: string
  readonly pool: pg.Pool
  readonly server: SupplierServer.SupplierServer
  /** The mails that were sent, by their keys. */
  readonly mails: ReadonlyMap<string, Mail>
  readonly start: () => Promise<Instance>
  readonly close: () => Promise<void>
}

const startMail = async () => {
  const mails = new Map<string, Mail>()
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const part of request) body += String(part)
    const key = String(request.headers["idempotency-key"])
    if (!mails.has(key)) mails.set(key, JSON.parse(body))
    response.writeHead(202).end()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The mail service has no port")
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { mails, url: `http://127.0.0.1:${address.port}/mails`, close }
}

/** Sets the shop up. */
export const open = async (options: Partial<Parameters<typeof SupplierServer.start>[0]> = {}): Promise<Shop> => {
  const database = await Databases.create()
  const pool = new pg.Pool({ connectionString: database.url, max: 4 })
  const server = await SupplierServer.start({ now: () => Date.now(), bundles: BUNDLES, ...options })
  const mail = await startMail()
  const directory = mkdtempSync(join(tmpdir(), "simplan-shop-"))
  const telcos = join(directory, "telcos.json")
  const account = {
    kind: "esim-go",
    url: server.url,
    key: { env: "ESIM_GO_KEY" },
    callbacks: { secret: { env: "ESIM_GO_CALLBACKS" } },
    calls_per_second: 1_000,
    watch: "10 seconds"
  }
  writeFileSync(telcos, JSON.stringify({ telcos: { go: account }, routes: [{ packages: "go" }] }))
  const plans = join(directory, "plans.json")
  const sold = BUNDLES.map(({ cents, name }) => ({
    ...{ bundle: name, name, price: decimal(2 * cents), most: decimal(cents) }
  }))
  writeFileSync(plans, JSON.stringify(sold))
  Leaks.know(SupplierServer.KEY)
  Leaks.know(PAYMENTS_TOKEN)
  const env = {
    ...process.env,
    ...{ DATABASE_URL: database.url, TELCOS: telcos, PLANS: plans },
    ...{ ESIM_GO_KEY: SupplierServer.KEY, ESIM_GO_CALLBACKS: CALLBACKS },
    ...{ ADDRESS: "https://shop.example", MAIL_URL: mail.url, PAYMENTS_TOKEN, PORT: "0", SESSION_SECRET: "secret" }
  }
  const { stdout } = await promisify(execFile)(process.execPath, ["setup.js"], { cwd: folder, env })
  const organizationId = /^ORGANIZATION_ID=(\S+)$/m.exec(stdout)?.[1] ?? ""
  const running = new Set<ChildProcess>()

  const start = async (): Promise<Instance> => {
    const child = spawn(process.execPath, ["server.js"], {
      cwd: folder,
      env: { ...env, ORGANIZATION_ID: organizationId },
      stdio: ["ignore", "pipe", "inherit"]
    })
    running.add(child)
    const ended = once(child, "exit").finally(() => running.delete(child))
    const listening = new Promise<string>((resolve, reject) => {
      let said = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        said += text
        const port = /listens on port (\d+)/.exec(said)?.[1]
        if (port !== undefined) resolve(`http://127.0.0.1:${port}`)
      })
      ended.then(([code]) => reject(new Error(`The shop has ended with ${code}: ${said}`)), reject)
    })
    const kill = async () => {
      child.kill("SIGKILL")
      await ended
    }
    return { url: await listening, kill }
  }

  return {
    ...{ organizationId, pool, server, mails: mail.mails, databaseUrl: database.url, start },
    close: async () => {
      for (const child of running) child.kill("SIGKILL")
      await Promise.all([...running].map((child) => once(child, "exit")))
      mail.close()
      await server.close()
      await pool.end()
      await database.drop()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

/** Pays into a wallet, as the payment provider does: again until there is an answer. */
export const pay = async (urls: () => string, payment: { id: string; customer: string; amount: string }) => {
  const headers = { "content-type": "application/json", authorization: `Bearer ${PAYMENTS_TOKEN}` }
  const body = JSON.stringify(payment)
  return ask(urls, "/payments", { method: "POST", headers, body })
}

/** Asks whatever process is there, again while there is none that answers. */
export const ask = async (urls: () => string, path: string, request: RequestInit = {}): Promise<Response> => {
  for (let tries = 0; ; tries++) {
    try {
      return await fetch(`${urls()}${path}`, { redirect: "manual", ...request })
    } catch (error) {
      if (tries === 200) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
