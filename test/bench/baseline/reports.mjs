// The yardstick of usage reports: stores batches with plain `pg`. For each report it writes the
// four rows that the service writes: the id of the report, the usage of the package, what that adds
// to the book of usage, and the last activity of the SIM; and for each batch the organization's sum
// of the day, one for each connection. Each batch is a transaction. Prints as JSON how many reports
// it stored in a second.
import pg from "pg"

const { attachment, batches, connections, databaseUrl, iccid, organizationId, plan, run, sims, size } = JSON.parse(
  process.argv[2]
)

const statements = {
  seen: `insert into simplan.taken_report (organization_id, report_id, received_at)
    select $1, id, $2::bigint from unnest($3::text[]) id on conflict do nothing`,
  usage: `update simplan.package p set used_bytes = greatest(used_bytes, $2::bigint) from unnest($3::text[]) id
    where p.organization_id = $1 and p.attachment_id = id and p.occurrence = 0`,
  entry: `insert into simplan.usage_entry (organization_id, iccid, attachment_id, day, country, bytes)
    select $1, of.iccid, of.attachment, $2::bigint, '', 1048576 from unnest($3::text[], $4::text[]) of (iccid, attachment)
    on conflict (organization_id, iccid, attachment_id, day, country)
      do update set bytes = usage_entry.bytes + excluded.bytes`,
  total: `insert into simplan.usage_total (organization_id, day, country, plan_id, label, shard, bytes)
    values ($1, $2::bigint, '', $3, 'Green', pg_backend_pid() % 16, $4::bigint)
    on conflict (organization_id, day, country, plan_id, label, shard)
      do update set bytes = usage_total.bytes + excluded.bytes`,
  activity: `update simplan.sim s set last_activity_at = $2::bigint, version = version + 1 from unnest($3::text[]) id
    where s.organization_id = $1 and s.iccid = id`
}

const store = async (client, batch) => {
  const now = Date.now()
  const numbers = Array.from({ length: size }, (_, index) => ((batch * size + index) % sims) + 1)
  const day = now - (now % 86_400_000)
  const attachments = numbers.map((number) => attachment + number.toString(16).padStart(12, "0"))
  const iccids = numbers.map((number) => iccid + String(number).padStart(12, "0"))
  const write = (name, ...values) => client.query({ name, text: statements[name], values: [organizationId, ...values] })
  await client.query("begin")
  await write(
    "seen",
    now,
    numbers.map((_, index) => `plain-${run}-${batch}-${index}`)
  )
  await write("usage", (run * batches + batch + 2) * 1_048_576, attachments)
  await write("activity", now, iccids)
  await write("entry", day, iccids, attachments)
  await write("total", day, plan, size * 1_048_576)
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
