// A thread with the neighbours of the innocent organization, so that their work delays nothing that
// is measured: one imports SIMs in files, in as many parts as there are tenths of the time; the
// other lists its own in loops. They ask any server, and ask again where they get no answer. On a
// message it ends, and says what came of it.
import { setTimeout as sleep } from "node:timers/promises"
import { parentPort, workerData } from "node:worker_threads"

const { admin, importer, iccids, lister, millis, rows, urls } = workerData

/** Rows of a file. */
const FILE = 10_000
const PARTS = 10
/** How many lists are under way. */
const LOOPS = 4
const PAGE = 100
/** After how long a request that was not answered, or was refused for now, is made again. */
const AGAIN = 100
const WAIT_LIMIT = 60_000

let isOver = false
let turn = 0
const anyUrl = () => urls[turn++ % urls.length]

const tally = (into, name) => {
  into[name] = (into[name] ?? 0) + 1
}

/** The body of a 200; null where there is none. */
const ask = async (path, options, statuses) => {
  try {
    const response = await fetch(anyUrl() + path, { ...options, signal: AbortSignal.timeout(WAIT_LIMIT) })
    tally(statuses, response.status)
    const body = await response.json()
    return response.status === 200 ? body : null
  } catch {
    tally(statuses, "none")
    return null
  }
}

const imported = { rows: 0, taken: 0, errors: 0, statuses: {}, busyMillis: 0 }

const file = (first, count) =>
  Array.from({ length: count }, (_, index) => {
    const number = String(first + index).padStart(12, "0")
    return `8999903${number},Green,true,LPA:1$y$${number}`
  }).join("\n")

const importAll = async () => {
  const began = Date.now()
  for (let first = 0; first < rows && !isOver; ) {
    const part = Math.floor((first * PARTS) / rows)
    await sleep(Math.max(0, began + (part * millis) / PARTS - Date.now()))
    const count = Math.min(FILE, rows - first)
    const body = `iccid,label,is_esim,lpa\n${file(first, count)}\n`
    const headers = { ...admin, "content-type": "text/csv" }
    const since = Date.now()
    const answer = await ask(
      `/admin/v1/organizations/${importer}/sims`,
      { method: "POST", headers, body },
      imported.statuses
    )
    imported.busyMillis += Date.now() - since
    if (answer === null) {
      await sleep(AGAIN)
      continue
    }
    imported.rows += count
    imported.taken += answer.data.imported + answer.data.duplicates
    imported.errors += answer.data.error_count
    first += count
  }
}

const listed = { whole: 0, wrong: 0, statuses: {} }

const listAll = async () => {
  while (!isOver) {
    const seen = new Set()
    let count = 0
    for (let page = ""; page !== null && !isOver; ) {
      const path = `/v3/sims?page_size=${PAGE}${page === "" ? "" : `&page=${encodeURIComponent(page)}`}`
      const answer = await ask(path, { headers: { "x-api-key": lister } }, listed.statuses)
      if (answer === null) {
        await sleep(AGAIN)
        continue
      }
      for (const { iccid } of answer.data) seen.add(iccid)
      count += answer.data.length
      page = answer.next_page
    }
    if (isOver) return
    if (count === iccids && seen.size === iccids) listed.whole += 1
    else listed.wrong += 1
  }
}

const all = Promise.all([importAll(), ...Array.from({ length: LOOPS }, listAll)])
parentPort.once("message", async () => {
  isOver = true
  await all
  parentPort.postMessage({ imported, listed })
})
