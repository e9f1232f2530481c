/**
 * The neighbours of the innocent organization: one imports SIMs, another lists its own without end.
 */
import { Worker } from "node:worker_threads"
import { text } from "../faults/Asking.ts"
import * as Tenant from "../faults/Tenant.ts"

export interface Outcome {
  readonly imported: {
    readonly rows: number
    /** Rows of which there is a SIM now. */
    readonly taken: number
    readonly errors: number
    readonly statuses: Readonly<Record<string, number>>
    /** How long its requests were under way in all. */
    readonly busyMillis: number
  }
  readonly listed: {
    /** Lists that were read to their end. */
    readonly whole: number
    /** Those that had another number of SIMs, or one twice. */
    readonly wrong: number
    readonly statuses: Readonly<Record<string, number>>
  }
}

export interface Neighbours {
  readonly importer: string
  /** Ends them, and returns what came of it. */
  readonly stop: () => Promise<Outcome>
}

export interface Options {
  readonly urls: ReadonlyArray<string>
  /** How many SIMs are imported, and within which time. */
  readonly rows: number
  readonly millis: number
}

/** How many SIMs the organization has that lists them. */
const LISTED = 5_000

export const start = async ({ millis, rows, urls }: Options): Promise<Neighbours> => {
  const [url = ""] = urls
  const post = (path: string, status: number, body: unknown) =>
    Tenant.must(`${url}/admin/v1${path}`, status, { method: "POST", headers: Tenant.admin, body })
  const organization = async (name: string): Promise<string> =>
    text(await post("/organizations", 201, { name }), "data", "organization_id")
  const [importer, listing] = [await organization("Importer"), await organization("Lister")]
  const key = await post(`/organizations/${listing}/api-keys`, 201, { name: "Lister" })
  const lines = Array.from({ length: LISTED }, (_, index) => `8999904${String(index).padStart(12, "0")},Green,false`)
  await post(`/organizations/${listing}/sims`, 200, `iccid,label,is_esim\n${lines.join("\n")}\n`)
  const workerData = {
    admin: Tenant.admin,
    importer,
    lister: text(key, "data", "key"),
    iccids: LISTED,
    millis,
    rows,
    urls
  }
  const worker = new Worker(new URL("./Neighbours.mjs", import.meta.url), { workerData })
  return {
    importer,
    stop: async () => {
      const outcome = await new Promise<Outcome>((resolve, reject) => {
        worker.once("error", reject)
        worker.once("message", resolve)
        worker.postMessage("over")
      })
      await worker.terminate()
      return outcome
    }
  }
}

/**
 * What is wrong with what came of it, in sentences. `stored`: how many SIMs the database has of the
 * importer.
 */
export const problems = ({ imported, listed }: Outcome, rows: number, stored: number): ReadonlyArray<string> => [
  ...(imported.rows === rows ? [] : [`Of ${rows} rows ${imported.rows} were imported`]),
  ...(imported.errors === 0 ? [] : [`${imported.errors} rows had errors`]),
  ...(imported.taken === imported.rows ? [] : [`Of ${imported.rows} rows ${imported.taken} were taken`]),
  // What an import did whose answer was lost is there, too.
  ...(imported.rows < rows || stored === rows ? [] : [`There are ${stored} SIMs of ${rows} rows`]),
  ...(listed.whole > 0 ? [] : ["No list was read to its end"]),
  ...(listed.wrong === 0 ? [] : [`${listed.wrong} lists had a SIM too many or too few`])
]

const counts = (statuses: Readonly<Record<string, number>>): string =>
  Object.entries(statuses)
    .map(([status, times]) => `${status}×${times}`)
    .join(" ")

/** What came of it, in lines. */
export const summary = ({ imported, listed }: Outcome): ReadonlyArray<string> => [
  `importer: ${imported.rows} rows in ${Math.round(imported.busyMillis / 1_000)} s of requests, ${counts(imported.statuses)}`,
  `lister: ${listed.whole} whole lists, ${counts(listed.statuses)}`
]
