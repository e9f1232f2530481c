// What operators wait for with so many SIMs, half of them in service, and what a console that stays
// open asks of the database.
import { setTimeout as sleep } from "node:timers/promises"
import * as Processes from "../bench/Processes.mjs"
import * as Seed from "../bench/Seed.mjs"

const TOKEN = "scale-admin-token-of-the-console"

/**
 * How many SIMs have events, attempts and usage, how many attempts of each delivery, and how many
 * days of usage.
 */
const USED = 10_000
const ATTEMPTS = 10
const DAYS = 60

/** How many are asked at a time, as by as many operators. */
const CONNECTIONS = 4

/** How often a console reads its first page again, in ms, and what it reads. */
const EVERY = 15_000
const FIRST_PAGE = ["/overview", "/problems?page_size=10"]

const served = `'${Seed.SERVED}'`

const fill = (sims, now) => [
  ...Seed.inventory(sims / 2, now),
  `update simplan.sim set imsi = '20893' || lpad(import_sequence::text, 10, '0'), msisdn = '4477' || lpad(import_sequence::text, 8, '0')
    where organization_id = ${served}`,
  // Each note has a number that no other has, a name that one in 1,000 has, and words of all.
  `update simplan.subscription set metadata =
      metadata || ', Anna' || right(metadata, 3) || ' Karlsson <c' || substr(metadata, 7) || '@example.com>, table 4'`,
  ...Seed.deliveries(1, USED, "'https://127.0.0.1:9'", now + 365 * Seed.DAY, now),
  `update simplan.delivery set attempts = ${ATTEMPTS}`,
  `insert into simplan.delivery_attempt
    select organization_id, delivery_id, n, created_at + n, 12, 500, 'status 500', ''
    from simplan.delivery, generate_series(1, ${ATTEMPTS}) n`,
  `insert into simplan.usage_entry
    select organization_id, iccid, attachment_id, ${now - (now % Seed.DAY)} - day * ${Seed.DAY}::bigint, 'FR', 1000000
    from simplan.attachment, generate_series(0, ${DAYS - 1}) day
    where iccid <= '${Seed.iccid(Seed.SERVED, USED)}'`,
  ...Seed.settled,
  // The notes of before leave empty pages in the list of each word that all of them have, and a
  // search reads these first. No service changes all notes at once.
  "reindex index simplan.subscription_note_words"
]

const digits = (number, length) => String(number).padStart(length, "0")

/** What is asked, by a number of a SIM from 1. */
const kinds = (organization) => {
  const search = (text) => `/search?q=${encodeURIComponent(text)}`
  const iccid = (number) => Seed.iccid(Seed.SERVED, number)
  return {
    "search: a whole ICCID": (number) => search(iccid(number)),
    "search: the beginning of ICCIDs": (number) => search(iccid(number).slice(0, -2)),
    "search: the last 6 digits of ICCIDs": (number) => search(iccid(number).slice(-6)),
    "search: an IMSI": (number) => search(`20893${digits(number, 10)}`),
    "search: a phone number": (number) => search(`+4477${digits(number, 8)}`),
    "search: a subscription's id": (number) =>
      search(`01931000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`),
    "search: metadata": (number) => search(`Bench ${number}`),
    "search: a phone number as in its country": (number) => search(`077 ${digits(number, 8)}`),
    "search: a number inside metadata": (number) => search(`table ${number}`),
    "search: a name inside metadata": (number) => search(`karlsson anna${digits(number, 3).slice(-3)}`),
    "search: an e-mail inside metadata": (number) => search(`c${number}@example.com`),
    "search: a word inside all metadata": () => search("karlsson"),
    "SIMs of an organization by a name inside metadata": (number) =>
      `${organization}/sims?page_size=25&search=${encodeURIComponent(`anna${digits(number, 3).slice(-3)}`)}`,
    "search: what nothing has": (number) => search(`order ${number}`),
    "a SIM's history": (number) => `${organization}/subscriptions/${iccid(1 + (number % USED))}/history`,
    "the first page": () => "/overview"
  }
}

const get = async (server, path) => {
  const began = performance.now()
  const answer = await fetch(`${server.url}/admin/v1${path}`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const body = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${body}`)
  return performance.now() - began
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]

/** Asks for some ms, by as many as ask at a time. */
const ask = async (server, pathOf, sims, millis) => {
  const until = performance.now() + millis
  const times = []
  // A step that has no divisor with the number of SIMs, so that all of them have their turn.
  let turn = 0
  const one = async () => {
    while (performance.now() < until) {
      turn += 1
      times.push(await get(server, pathOf(1 + ((turn * 7_919) % (sims / 2)))))
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, one))
  return times.sort((a, b) => a - b)
}

/** Transactions a second while something goes on. */
const transactions = async (postgres, database, millis, step) => {
  const count = async () => {
    const [{ found }] = await postgres.query(
      "postgres",
      `select xact_commit + xact_rollback as found from pg_stat_database where datname = '${database}'`
    )
    return found
  }
  const before = await count()
  const began = performance.now()
  for (let at = 0; at < millis; at += EVERY) {
    await step()
    await sleep(EVERY)
  }
  return ((await count()) - before) / ((performance.now() - began) / 1_000)
}

export const measureConsole = async (postgres, { seconds, sims }) => {
  const database = await postgres.create("console")
  const url = postgres.urlOf(database)
  await Processes.migrate(url)
  const began = performance.now()
  await postgres.query(database, ...fill(sims, Date.now()))
  console.log(`${sims.toLocaleString("en")} SIMs, filled in ${((performance.now() - began) / 1_000).toFixed(0)} s`)
  // Its transactions would be counted with the server's.
  await postgres.query("postgres", "alter system set autovacuum = off", "select pg_reload_conf()")
  const server = await Processes.serve(url, { SIMPLAN_ADMIN_TOKEN: TOKEN, SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true" })
  try {
    for (const [kind, pathOf] of Object.entries(kinds(`/organizations/${Seed.SERVED}`))) {
      await ask(server, pathOf, sims, 500)
      const times = await ask(server, pathOf, sims, seconds * 1_000)
      console.log(
        `${kind}: ${times.length} requests, p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`
      )
    }
    // What the load has left behind ends, and is counted.
    await sleep(EVERY)
    const idle = await transactions(postgres, database, EVERY, () => Promise.resolve())
    const open = await transactions(postgres, database, EVERY, async () => {
      for (const path of FIRST_PAGE) await get(server, path)
    })
    console.log(
      `idle: ${idle.toFixed(2)} queries/s; with an open first page: ${open.toFixed(2)} queries/s (${((open - idle) * (EVERY / 1_000)).toFixed(0)} each time)`
    )
  } finally {
    await server.stop()
    await postgres.drop(database)
  }
}
