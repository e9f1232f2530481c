// The data that is measured on, made in SQL: SIMs, subscriptions with one attachment and one
// package each, and work.
import { createHash } from "node:crypto"
import { ApiKey } from "../../dist/src/ports/index.js"

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** All of its SIMs are in service. */
export const SERVED = "00000000-0000-7000-8000-000000000001"
/** All of its SIMs are free. */
export const FREE = "00000000-0000-7000-8000-000000000002"

export const PLAN = "00000000-0000-7000-8000-0000000000aa"

/** The API keys, the same in every run: the databases are thrown away. */
export const keys = {
  [SERVED]: ApiKey.fromRandom(new Uint8Array(32).fill(1)),
  [FREE]: ApiKey.fromRandom(new Uint8Array(32).fill(2))
}

const first = { [SERVED]: "8933011", [FREE]: "8933012" }

/** The ICCID of an organization's SIM, from 1. */
export const iccid = (organizationId, number) => first[organizationId] + String(number).padStart(12, "0")

const iccidSql = (organizationId, number) => `'${first[organizationId]}' || lpad(${number}::text, 12, '0')`

/** The id of the attachment of a SIM in service, from 1. */
export const attachmentId = (number) => `01932000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`

/** What each package has used at first, in bytes. */
export const USED = 1_048_576

// Ids are as long as real ones, and in the order of creation as those are.
const idSql = (kind, number) => `'0193${kind}-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0')`

const base = {
  name: "France 10 GB",
  coverageId: "00000000-0000-5000-8000-0000000000cc",
  regionCode: "FR",
  label: "Green",
  dataMegaBytes: 10_240,
  periodDays: 30,
  throttling: [],
  recurrence: null
}

export const recurring = (terms) => ({
  ...base,
  recurrence: { periodicity: "Daily", frequency: 1, occurrences: 1_000 },
  ...terms
})

const literal = (value) => `'${JSON.stringify(value).replaceAll("'", "''")}'`

/** Organizations, keys, a plan, and two inventories of as many SIMs: one in service, one free. */
export const inventory = (sims, now) => [
  ...[SERVED, FREE].flatMap((organizationId, index) => [
    `insert into simplan.organization values ('${organizationId}', 'Bench ${index}', ${now})`,
    `insert into simplan.api_key values ('${organizationId}', 'key', 'bench', 'full',
      '${createHash("sha256").update(keys[organizationId]).digest("hex")}', 'hint', ${now}, null, null, 1)`,
    `insert into simplan.plan values ('${organizationId}', '${PLAN}', 'Green', '${base.coverageId}', 'france 10 gb',
      ${literal(base)}, ${now}, null, null, 1)`,
    `insert into simplan.import_sequence values ('${organizationId}', ${sims})`,
    `insert into simplan.sim (organization_id, iccid, sim_id, import_sequence, label, is_esim, lpa, created_at, allocation, allocated_to,
        downloaded, mobile_plan_applied, version)
      select '${organizationId}', ${iccidSql(organizationId, "i")}, ${idSql("000" + index, "i")}, i, 'Green', true,
        'LPA:1$smdp.example.com$' || upper(md5(i::text)), ${now - DAY} + i, 
        ${organizationId === SERVED ? `'InService', ${idSql("1000", "i")}` : "'Free', null"}, false, false, 1
      from generate_series(1, ${sims}) i`,
    `insert into simplan.iccid select iccid, organization_id from simplan.sim
      where organization_id = '${organizationId}'`
  ]),
  ...subscriptions(sims, now)
]

const subscriptions = (sims, now) => [
  `insert into simplan.subscription
    select '${SERVED}', ${idSql("1000", "i")}, ${iccidSql(SERVED, "i")}, 'bench ' || i, ${now - DAY} + i, 'Live'
    from generate_series(1, ${sims}) i`,
  `insert into simplan.attachment (organization_id, attachment_id, subscription_id, iccid, plan_id, terms, metadata,
      created_at, confirmed, last_threshold_notified)
    select '${SERVED}', ${idSql("2000", "i")}, ${idSql("1000", "i")}, ${iccidSql(SERVED, "i")}, '${PLAN}',
      ${literal(base)}::jsonb, 'bench ' || i, ${now - DAY} + i, true, 0
    from generate_series(1, ${sims}) i`,
  `insert into simplan.package
    select '${SERVED}', ${idSql("2000", "i")}, 0, ${iccidSql(SERVED, "i")}, 'Created', 'T' || ${idSql("2000", "i")},
      ${now - DAY} + i, ${now + 29 * DAY} + i, ${USED}
    from generate_series(1, ${sims}) i`
]

/**
 * Makes the first `count` attachments recurring ones whose occurrence 1 is due at `due`, SQL in
 * which `i` is the number of the attachment, from 1. Occurrences before it are there.
 */
export const dueOccurrences = (count, due, terms = {}) => [
  `update simplan.attachment a
    set terms = ${literal(recurring(terms))}::jsonb, anchor = ${due} - ${DAY} + ${12 * HOUR}
    from generate_series(1, ${count}) i
    where a.organization_id = '${SERVED}' and a.attachment_id = ${idSql("2000", "i")}`,
  `insert into simplan.job (job_id, organization_id, work, due_at, attempts, created_at)
    select ${idSql("2000", "i")} || ':1', '${SERVED}',
      jsonb_build_object('_tag', 'CreatePackage', 'iccid', ${iccidSql(SERVED, "i")},
        'attachmentId', ${idSql("2000", "i")}, 'occurrence', 1),
      ${due}, 0, ${due}
    from generate_series(1, ${count}) i`
]

/** Jobs that are due in a year, of attachments that need not be there: no job is run. */
export const futureJobs = (count, now) => [
  `insert into simplan.job (job_id, organization_id, work, due_at, attempts, created_at)
    select ${idSql("9000", "i")} || ':1', '${SERVED}',
      jsonb_build_object('_tag', 'CreatePackage', 'iccid', ${iccidSql(SERVED, "i")},
        'attachmentId', ${idSql("9000", "i")}, 'occurrence', 1),
      ${now + 365 * DAY} + i, 0, ${now}
    from generate_series(1, ${count}) i`
]

/**
 * Endpoints of one organization, each with as many deliveries. `url` is SQL in which `e` numbers
 * the endpoints, `due` SQL in which `i` also numbers the deliveries of an endpoint, both from 1.
 */
export const deliveries = (endpoints, each, url, due, now) => [
  `insert into simplan.webhook_endpoint (organization_id, endpoint_id, url, description, signing_keys, created_at, version)
    select '${SERVED}', ${idSql("3000", "e")}, ${url}, '',
      jsonb_build_array(jsonb_build_object('key', 'whsec_' || encode(sha256(e::text::bytea), 'base64'),
        'validUntil', null)),
      ${now}, 1
    from generate_series(1, ${endpoints}) e`,
  `insert into simplan.event
    select '${SERVED}', ${idSql("4000", "i")}, ${now},
      json_build_object('type', 'attachment.allowanceConsumed', 'data', json_build_object('usagePercentage', 50,
        'dataUsageBytes', 5368709120, 'esim', ${iccidSql(SERVED, "i")}, 'planId', '${PLAN}',
        'attachmentId', ${idSql("2000", "i")}))
    from generate_series(1, ${each}) i`,
  `insert into simplan.delivery (organization_id, delivery_id, event_id, endpoint_id, status, attempts, retry_step,
      next_attempt_at, created_at)
    select '${SERVED}', ${idSql("5000", `(i - 1) * ${endpoints} + e`)}, ${idSql("4000", "i")},
      ${idSql("3000", "e")}, 'Pending', 0, 0, ${due}, ${now}
    from generate_series(1, ${each}) i, generate_series(1, ${endpoints}) e`
]

/**
 * The statistics and the visibility of rows, as a database has them that has been up for a while.
 */
export const settled = ["vacuum (analyze)", "checkpoint"]
