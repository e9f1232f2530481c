/**
 * `createSimplan({ telco: { file } })`: the telcos of a settings file in a host of Promises, with
 * the journal of their calls in the service's database.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"
import { createSimplan, type Options, type Simplan } from "simplan/promise"
import { expect, it, onTestFinished, vi } from "vitest"
import * as Memory from "../../../adapters/memory/index.ts"
import * as Databases from "../../setup/databases/Databases.ts"
import * as Leaks from "../../setup/Leaks.ts"
import * as SupplierServer from "../../telco-esim-go/SupplierServer.ts"

const url = Databases.forEachTest()

/** The path of a file with these settings. */
const file = (settings: unknown): string => {
  const folder = mkdtempSync(join(tmpdir(), "simplan-telcos-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, "telcos.json")
  writeFileSync(path, typeof settings === "string" ? settings : JSON.stringify(settings))
  return path
}

const open = (settings: unknown, options: Partial<Options> = {}): Simplan => {
  const simplan = createSimplan({ database: "memory", telco: { file: file(settings) }, logger: false, ...options })
  onTestFinished(simplan.close)
  return simplan
}

const sandbox = { telcos: { sandbox: { kind: "simulator" } }, routes: [{ packages: "sandbox" }] }

/** A plan of the first bundle that the telco sells. */
const selling = async (simplan: Simplan, telco: string) => {
  const { organizationId } = await simplan.organizations.create({ name: "Shop" })
  const [bundle] = await simplan.telcos.bundles({ telco }).toArray()
  const made = { organizationId, telco, bundle: bundle?.code ?? "", label: "Green" } as const
  const { planId } = await simplan.plans.createFromBundle(made)
  return { organizationId, planId: planId ?? "" }
}

it("sells what a simulator of the file sells, on a virtual clock too", async () => {
  const simplan = open(sandbox, { clock: { start: "2026-01-31T12:00:00Z" } })
  const { sim } = await simplan.subscriptions.create(await selling(simplan, "sandbox"))
  expect(sim).toMatchObject({ isEsim: true, lpa: expect.stringContaining("LPA:1$") })
})

it("keeps the books of simulators in the database, so that all processes have the same", async () => {
  const database = url()
  const first = open(sandbox, { database })
  const { organizationId, planId } = await selling(first, "sandbox")
  await first.subscriptions.create({ organizationId, planId })
  await first.close()
  const client = new Client({ connectionString: database })
  await client.connect()
  const { rows } = await client.query("select count(*)::int as count from simplan.telco_simulator_book")
  await client.end()
  expect(rows[0].count).toBeGreaterThan(0)
})

it("has a supplier's journal in the database: what was asked for before a restart is not bought again", async () => {
  const supplier = await SupplierServer.start({ now: () => Date.now() })
  onTestFinished(supplier.close)
  Leaks.know(SupplierServer.KEY)
  vi.stubEnv("KEY_OF_THE_TEST", SupplierServer.KEY)
  onTestFinished(() => void vi.unstubAllEnvs())
  const account = { kind: "esim-go", url: supplier.url, key: { env: "KEY_OF_THE_TEST" }, calls_per_second: 1000 }
  const settings = { telcos: { go: account }, routes: [{ packages: "go" }] }
  const database = url()
  const before = open(settings, { database, schema: "shop" })
  const order = await selling(before, "go")
  supplier.faults.set("POST orders", [{ fault: "answer lost" }])
  // The order is made, and nobody has told the service yet.
  supplier.faults.set(
    "GET orders",
    Array.from({ length: 20 }, () => ({ fault: "request lost" as const }))
  )
  const options = { idempotencyKey: "order 1" }
  await expect(before.subscriptions.create(order, options)).rejects.toMatchObject({ code: "esims_issuing" })
  await before.close()
  expect(supplier.supplier.orders).toHaveLength(1)
  supplier.faults.clear()
  const after = open(settings, { database, schema: "shop" })
  await after.waitingJobs.retryAll()
  const created = async () => (await after.subscriptions.create(order, options).catch(() => null))?.sim.iccid
  await expect.poll(created, { timeout: 60_000 }).toBe(supplier.supplier.orders[0]?.iccid)
  expect(supplier.supplier.orders).toHaveLength(1)
  await after.close()
})

it("has the start reject with each mistake of the file, by its line", async () => {
  const wrong = JSON.stringify({ telcos: { go: { kind: "esim-go" } }, routes: [] }, null, 2)
  const error = await open(wrong)
    .ready()
    .catch((cause) => cause)
  expect(error).toMatchObject({ code: "invalid_field", field: "telco.file" })
  expect(error.message).toMatch(
    /telcos\.json, line 3: telcos\.go\.key is required\.\n.*telcos\.json, line 7: routes must/
  )
  const real = { telcos: { go: { kind: "esim-go", key: { env: "PATH" } } }, routes: [{ packages: "go" }] }
  const virtual = open(real, { clock: { start: "2026-01-31T12:00:00Z" } })
  await expect(virtual.ready()).rejects.toThrow("must be simulator, because the clock is virtual")
  const none = createSimplan({ database: "memory", telco: { file: "/none/telcos.json" }, logger: false })
  onTestFinished(none.close)
  await expect(none.ready()).rejects.toThrow("/none/telcos.json cannot be read (ENOENT)")
})

it("is refused at once where it cannot be meant", () => {
  const telco = { file: "telcos.json" }
  const made = (options: object) => () => createSimplan({ database: "memory", telco, ...options })
  expect(made({ telco: { file: "" } })).toThrow("createSimplan, telco: file must not be empty")
  expect(made({ telco: { file: "telcos.json", url: "https://bridge.example" } })).toThrow("createSimplan, telco: ")
  expect(made({ database: { storage: Memory.layer } })).toThrow("keeps a journal")
})
