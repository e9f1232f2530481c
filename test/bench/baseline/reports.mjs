// The yardstick of usage reports: stores batches with plain `pg`. For each report it writes the three rows that the
// service writes: the id of the report, the usage of the package, and the last activity of the SIM. Each batch is a
// transaction. Prints as JSON how many reports it stored in a second.
import pg from "pg"

const { attachment, batches, connections, databaseUrl, iccid, organizationId, run, sims, size } = JSON.parse(
  process.argv[2]
)

const statements = {
  seen: `insert into simplan.seen_report (organization_id, report_id, received_at)
    select $1, id, $2::bigint from unnest($3::text[]) id on conflict do nothing`,
  usage: `update simplan.package p set used_bytes = greatest(used_bytes, $2::bigint) from unnest($3::text[]) id
    where p.organization_id = $1 and p.attachment_id = id and p.occurrence = 0`,
  activity: `update simplan.sim s set last_activity_at = $2::bigint, version = version + 1 from unnest($3::text[]) id
    where s.organization_id = $1 and s.iccid = id`
}

const store = async (client, batch) => {
  const now = Date.now()
  const numbers = Array.from({ length: size }, (_, index) => ((batch * size + index) % sims) + 1)
  const write = (name, number, ids) =>
    client.query({ name, text: statements[name], values: [organizationId, number, ids] })
  await client.query("begin")
  await write(
    "seen",
    now,
    numbers.map((_, index) => `plain-${run}-${batch}-${index}`)
  )
  await write(
    "usage",
    (run * batches + batch + 2) * 1_048_576,
    numbers.map((number) => attachment + number.toString(16).padStart(12, "0"))
  )
  await write(
    "activity",
    now,
    numbers.map((number) => iccid + String(number).padStart(12, "0"))
  )
  await client.query("commit")
}

const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: databaseUrl }))
for (const client of clients) await client.connect()
let next = 0
const began = performance.now()
await Promise.all(
  clients.map(async (client) => {
    while (next < batches) await store(client, next++)
  })
)
const seconds = (performance.now() - began) / 1000
for (const client of clients) await client.end()
process.stdout.write(`${JSON.stringify({ perSecond: (batches * size) / seconds })}\n`)
