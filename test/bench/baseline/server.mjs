// The yardstick: what a careful person writes by hand with Fastify and pg over the same tables,
// when nothing matters but speed. Prepared statements, answers encoded by JSON schema, no
// validation beyond it, no events; jobs only where it says so. What it answers is what simplan
// answers.
import { createHash } from "node:crypto"
import Fastify from "fastify"
import pg from "pg"
import { v7 } from "uuid"
import * as Creation from "./creation.mjs"
import * as Schemas from "./schemas.mjs"

pg.types.setTypeParser(pg.types.builtins.INT8, Number)

const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 })
const app = Fastify()

const statement = (name, text) => async (values) => (await pool.query({ name, text, values })).rows

const iso = (instant) => (instant === null ? null : new Date(instant).toISOString())

// Keys are read once: they do not change while it runs.
const known = new Map(
  (await pool.query("select hash, organization_id from simplan.api_key")).rows.map((row) => [row.hash, row])
)
const organizations = new Map()
const organizationOf = (key) => {
  let found = organizations.get(key)
  if (found === undefined) {
    found = known.get(createHash("sha256").update(key).digest("hex"))?.organization_id
    organizations.set(key, found)
  }
  return found
}

app.addHook("onRequest", (request, reply, done) => {
  const { key } = request.query
  if (key === undefined) {
    reply.code(401).send({ error: true, message: "Unauthorized: API key is missing", code: "key_missing" })
    return
  }
  request.organizationId = organizationOf(key)
  if (request.organizationId === undefined) {
    reply.code(401).send({ error: true, message: "Unauthorized: API key is not valid", code: "key_invalid" })
    return
  }
  done()
})

const missing = (reply) =>
  reply.code(404).send({ error: true, message: "Subscription not found", code: "subscription_not_found" })

const findSubscription = statement(
  "subscription",
  `select u.subscription_id, u.created_at, u.metadata, s.paused_at, s.sim_id, s.iccid, s.lpa, s.label
    from simplan.sim s
    join simplan.subscription u on u.organization_id = s.organization_id and u.iccid = s.iccid and u.status <> 'Deleted'
    where s.organization_id = $1 and s.iccid = $2 and u.status = 'Live'`
)

app.get("/v3/subscriptions/:iccid", { schema: Schemas.subscription }, async (request, reply) => {
  const [row] = await findSubscription([request.organizationId, request.params.iccid])
  if (row === undefined) return missing(reply)
  return {
    error: false,
    data: {
      subscription_id: row.subscription_id,
      created_at: iso(row.created_at),
      metadata: row.metadata,
      paused_at: row.paused_at === null ? null : iso(row.paused_at),
      esim: { esim_id: row.sim_id, iccid: row.iccid, lpa_string: row.lpa, label: row.label }
    }
  }
})

const findAttachments = statement(
  "attachments",
  `select a.attachment_id, a.created_at, a.plan_id, a.metadata, a.terms, a.anchor, a.suspended_at,
      (select coalesce(json_agg(json_build_array(p.occurrence, p.activation_at, p.expiration_at, p.used_bytes,
          p.status) order by p.occurrence), '[]')
        from simplan.package p
        where p.organization_id = a.organization_id and p.attachment_id = a.attachment_id) as packages
    from simplan.subscription u
    left join simplan.attachment a on a.organization_id = u.organization_id and a.subscription_id = u.subscription_id
      and a.confirmed
    where u.organization_id = $1 and u.iccid = $2 and u.status = 'Live'
    order by a.created_at, a.attachment_id`
)

const DAY = 86_400_000
const cycles = { Daily: DAY, Weekly: 7 * DAY }

// The end of a recurring plan's last package; monthly ones are left out here, and in what is
// measured.
const lastEnd = ({ periodDays, recurrence: { frequency, occurrences, periodicity } }, anchor) =>
  anchor === null ? null : anchor + (occurrences - 1) * frequency * cycles[periodicity] + periodDays * DAY

const stateOf = (row, activationAt, expirationAt, now) => {
  if (row.suspended_at !== null) return "SUSPENDED"
  if (activationAt === null) return row.packages.length > 0 ? "PENDING_FOR_FIRST_USE" : "CREATED"
  if (now < activationAt) return "CREATED"
  return expirationAt !== null && now >= expirationAt ? "EXPIRED" : "ACTIVE"
}

// Those that what is measured has.
const reasons = {
  PENDING_FOR_FIRST_USE: {
    code: "waits_for_first_use",
    message: "The package activates at the first use of the SIM"
  }
}

const attachment = (row, now) => {
  const { terms } = row
  const packages = row.packages.filter(([, , , , status]) => status !== "Refused")
  const [only] = packages
  const recurs = terms.recurrence !== null
  const activationAt = recurs ? row.anchor : (only?.[1] ?? null)
  const expirationAt = recurs ? lastEnd(terms, row.anchor) : (only?.[2] ?? null)
  const used = recurs ? packages.findLast(([, begins]) => begins !== null && begins <= now) : only
  const state = stateOf(row, activationAt, expirationAt, now)
  return {
    plan_attachment_id: row.attachment_id,
    created_at: iso(row.created_at),
    activation_at: iso(activationAt),
    expiration_at: iso(expirationAt),
    used_allowance: { dataBytes: used?.[3] ?? 0 },
    metadata: row.metadata,
    state,
    reason: reasons[state] ?? null,
    plan: {
      name: terms.name,
      _id: row.plan_id,
      coverage_id: terms.coverageId,
      region_code: terms.regionCode,
      label: terms.label,
      throttling: terms.throttling.length > 0,
      recurring: recurs,
      data_mega_bytes: terms.dataMegaBytes,
      period_days: terms.periodDays
    },
    packages: packages.map(([occurrence, begins, ends, bytes]) => ({
      package_id: `${row.attachment_id}:${occurrence}`,
      activation_at: iso(begins),
      expiration_at: iso(ends),
      used_allowance: { dataBytes: bytes }
    }))
  }
}

app.get("/v3/subscriptions/:iccid/plan-attachments", { schema: Schemas.attachments }, async (request, reply) => {
  const rows = await findAttachments([request.organizationId, request.params.iccid])
  if (rows.length === 0) return missing(reply)
  const now = Date.now()
  return {
    error: false,
    data: rows.filter(({ attachment_id: id }) => id !== null).map((row) => attachment(row, now))
  }
})

const listSims = statement(
  "sims",
  `select iccid, label, lpa, allocation, sim_id, created_at, is_esim, tags, import_sequence from simplan.sim
    where organization_id = $1 and import_sequence > $2 order by import_sequence limit $3`
)

app.get("/v3/sims", { schema: Schemas.sims }, async (request) => {
  const { page, page_size: size = "25" } = request.query
  const limit = Number(size)
  const after = page === undefined ? 0 : Number(Buffer.from(page, "base64url").toString())
  const rows = await listSims([request.organizationId, after, limit + 1])
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    error: false,
    data: shown.map((row) => ({
      iccid: row.iccid,
      label: row.label,
      lpa: row.lpa,
      used: row.allocation !== "Free",
      esim_id: row.sim_id,
      created_at: iso(row.created_at),
      is_esim: row.is_esim,
      tags: row.tags ?? []
    })),
    next_page: last === undefined ? null : Buffer.from(String(last.import_sequence)).toString("base64url")
  }
})

const create = Creation.make(statement, v7)

const creating = (steps) => async (request, reply) => {
  const made = await steps(request.organizationId, request.body)
  if (made === null) {
    return reply.code(404).send({ error: true, message: "No free eSIM is left", code: "no_free_esim" })
  }
  reply.code(201)
  return {
    subscription_id: made.subscriptionId,
    created_at: iso(made.createdAt),
    metadata: request.body.metadata,
    esimdata: { esim_id: made.sim_id, iccid: made.iccid, label: made.label, lpa_string: made.lpa }
  }
}

app.post("/v3/subscription", { schema: Schemas.creation }, creating(create.inserting))
app.post("/durable/v3/subscription", { schema: Schemas.creation }, creating(create.durably))

const url = await app.listen({ host: "127.0.0.1", port: 0 })
process.stdout.write(`${url}\n`)
process.once("SIGTERM", () => process.exit(0))
