/**
 * Tables as the largest organization and the largest service have them that `ReadCosts` is about,
 * at a scale: what has a bound is there beyond it at once, and what grows without one is there by
 * shares of its whole.
 */
import * as Values from "../../../domain/Values.ts"

export const BIG = "big"
/** A SIM with all that one can have. */
export const FULL_SIM = "8933000000000000001"
export const NOW = Date.UTC(2026, 10, 15, 12)
const DAY = 86_400_000
export const TODAY = NOW - (NOW % DAY)
export const DAYS = 400

/** The organizations of the service. */
const ORGANIZATIONS = 2_000
/** Beyond what counts of waiting work, of problems and of failing endpoints go to. */
const COUNTED = 12_000
/** More than any page and any step of a search has. */
const LISTED = 1_500

/** The other organizations whose stock is watched. */
export const WATCHED = 100
export const organization = (number: number): string => `org-${String(number).padStart(4, "0")}`

/** The ICCID of a SIM of the organization, those with even numbers in service. */
export const iccid = (number: number): string => `8933${String(100 + number).padStart(15, "0")}`

const name = (number: string): string => `'org-' || lpad((${number})::text, 4, '0')`
const json = (value: unknown): string => `'${JSON.stringify(value)}'`
const series = (count: number): string => `from generate_series(1, ${count}) i`

const terms = json(Values.terms({ name: "Plan", regionCode: "FR", dataMegaBytes: 100, periodDays: 30 }))
const keys = json([{ key: "whsec_", validUntil: null }])
const payload = (iccid: string): string => `json_build_object('type', 'subscription.created',
  'data', json_build_object('esim', ${iccid}, 'subscriptionId', 's'))`

const simColumns = `simplan.sim (organization_id, iccid, sim_id, import_sequence, label, is_esim, created_at, allocation,
  allocated_to, downloaded, mobile_plan_applied, version, releasing, imsi, msisdn)`

const attachments = `simplan.attachment (organization_id, attachment_id, subscription_id, iccid, plan_id, terms, metadata,
  created_at, confirmed, last_threshold_notified)`

const packages = `simplan.package (organization_id, attachment_id, occurrence, iccid, status, telco_package_id, used_bytes)`

const jobs = `simplan.job (job_id, organization_id, work, due_at, attempts, created_at, waiting, ended_at, lease_token,
  lease_until)`

const work = (tag: string, iccid: string, more = ""): string =>
  `jsonb_build_object('_tag', '${tag}', 'iccid', ${iccid}, 'attachmentId', 'a' ${more})`

const deliveries = `simplan.delivery (organization_id, delivery_id, event_id, endpoint_id, status, attempts, retry_step,
  next_attempt_at, created_at, handler, iccid, lease_token, lease_until)`

/** A SIM on its way between stock and a subscription. */
const between = (from: number, allocation: string) => `insert into ${simColumns}
  select '${BIG}', '89339' || lpad((${from} + i)::text, 14, '0'), 'b' || ${from} + i, ${from} + i, 'Red', true, 1,
    '${allocation}', 's' || i, false, false, 1, ${allocation === "Releasing" ? "true" : "null"}, null, null ${series(500)}`

/** What has a bound. */
export const bounded: ReadonlyArray<string> = [
  `insert into simplan.organization values ('${BIG}', 'Big', 0)`,
  `insert into simplan.organization select ${name("i")}, 'Other', i ${series(ORGANIZATIONS)}`,
  `insert into simplan.plan select '${BIG}', 'p-' || i, 'Green', 'c', 'plan', ${terms}, i, null, null, 1 ${series(20_100)}`,
  `insert into simplan.region select '${BIG}', 'c-' || i, 'C', 'R-' || i, 'Green', '{FR}', 'FR' || i, i ${series(1_000)}`,
  `insert into simplan.api_key (organization_id, api_key_id, name, scope, hash, hint, created_at, version)
    select '${BIG}', 'k-' || i, 'K', 'full', 'h-' || i, 'h', i, 1 ${series(1_000)}`,
  `insert into simplan.api_key_use select '${BIG}', 'k-' || i, i ${series(1_000)}`,
  `insert into simplan.operator (operator_id, name, role, hash, hint, created_at, version)
    select 'o-' || i, 'O-' || i, 'admin', 'h-' || i, 'h', i, 1 ${series(LISTED)}`,
  `insert into simplan.session values ('session', ${NOW}, null, 0, null, null, null, 1)`,
  `insert into simplan.process select 'p-' || i, '1', 'h', '{}', 1, ${NOW}, 0, 0, '[]' ${series(100)}`,
  `insert into simplan.catalogue (version, value) values (1, '{"countries": [], "operators": [], "profiles": []}')`,
  `insert into simplan.event_handler select 'handler-' || i, '{subscription.created}', null, i ${series(100)}`,
  `insert into simplan.idempotency select '${BIG}', 'i-' || i, 'f', i, '{"_tag": "Pending"}' ${series(LISTED)}`,
  `insert into simplan.command select '${BIG}', 'm-' || i, '{"_tag": "SendSms", "iccid": "1", "from": "", "text": ""}', i,
    '{"_tag": "Pending"}', null ${series(LISTED)}`,
  `insert into simplan.audit_entry (organization_id, created_at, entry_id, actor, action, resource_id)
    select '${BIG}', i, 'e-' || i, 'host', 'plan_attachment.suspend', 'a' ${series(LISTED)}`,
  `insert into simplan.audit_entry (organization_id, created_at, entry_id, actor, action, resource_id)
    select '${BIG}', 0, 'z-' || i, 'host', 'plan_attachment.suspend', 'b-' || i ${series(100)}`,
  `insert into simplan.stock_level select organization_id, label, 1000, false, 1
    from (select '${BIG}' union all select ${name("50 + i")} ${series(WATCHED / 2)}) of (organization_id),
      unnest(array['Green', 'Aqua', 'Blue', 'Voilet', 'Red', 'Grey', 'Orange']) label`,
  // Endpoints of the organization, and failing ones of all others, each with what sixteen
  // connections have counted.
  `insert into simplan.webhook_endpoint (organization_id, endpoint_id, url, events, description, failing_since, signing_keys,
      created_at, version)
    select '${BIG}', 'w-' || i, 'https://example.com', '{subscription.created}', '', null, ${keys}::jsonb, i, 1 ${series(100)}`,
  `insert into simplan.webhook_endpoint (organization_id, endpoint_id, url, events, description, failing_since, signing_keys,
      created_at, version)
    select ${name(`1 + i % ${ORGANIZATIONS}`)}, 'f-' || i, 'https://example.com', null, '', i, ${keys}::jsonb, i, 1
    ${series(COUNTED)}`,
  `insert into simplan.delivery_count select organization_id, endpoint_id, shard, 1, 1
    from simplan.webhook_endpoint, generate_series(0, 15) shard
    where organization_id = '${BIG}' or failing_since <= 100`,
  // The SIM that has everything: a subscription of many attachments, one of which has many
  // packages.
  `insert into ${simColumns} values ('${BIG}', '${FULL_SIM}', 'full', 0, 'Green', true, 1, 'InService', 'full', true, false, 1,
    null, '208930000000000', '46700000000')`,
  `insert into simplan.iccid values ('${FULL_SIM}', '${BIG}')`,
  `insert into simplan.subscription values ('${BIG}', 'full', '${FULL_SIM}', 'order', 0, 'Live')`,
  `insert into ${attachments} select '${BIG}', 'a-' || i, 'full', '${FULL_SIM}', 'p-1', ${terms}, '', i, true, 0 ${series(600)}`,
  `insert into ${packages} select '${BIG}', 'a-1', i, '${FULL_SIM}', 'Created', 't-' || i, 0 ${series(1_000)}`,
  // Work: waiting, ended, due and partly held; and what is on its way to stock or from it.
  `insert into ${jobs} select 'w-' || i, '${BIG}', ${work("SendSms", "'1'")}, ${NOW + DAY}, 1, i,
    '{"reason": "busy", "since": 1}', null, null, null ${series(COUNTED)}`,
  `insert into ${jobs} select 'e-' || i, '${BIG}', ${work("SendSms", "'1'")}, 1, 1, i, null, 1, null, null ${series(COUNTED)}`,
  `insert into ${jobs} select 'd-' || i, '${BIG}', ${work("SendSms", "'1'")}, i, 0, i, null, null,
    case when i <= 1000 then 't' end, case when i <= 1000 then ${NOW} end ${series(COUNTED)}`,
  `insert into ${deliveries} select '${BIG}', 'x-' || i, 'v-1', 'w-2', 'Pending', 0, 0, i, i, null, null,
    case when i <= 1000 then 't' end, case when i <= 1000 then ${NOW} end ${series(COUNTED)}`,
  between(9_000_000, "Releasing"),
  between(9_001_000, "Provisioning"),
  `insert into ${jobs} select 'r-' || i, '${BIG}', ${work("CancelPackages", "'89339' || lpad((9000000 + i)::text, 14, '0')", ", 'release', 'Cancel'")},
    1, 1, i, null, 1, null, null ${series(500)}`,
  `insert into ${jobs} select 'v-' || i, '${BIG}', ${work("Provision", "'89339' || lpad((9001000 + i)::text, 14, '0')")},
    ${NOW}, 0, i, null, null, null, null ${series(500)}`,
  // Outstanding purchases, which the supplier is still allocating.
  `insert into ${jobs} select 'b-' || i, '${BIG}', ${work("BuySim", "null")}, ${NOW + DAY}, 1, i, null, null, null, null ${series(1_000)}`,
  // A delivery with many attempts, and what is due to handlers.
  `insert into simplan.delivery_attempt select '${BIG}', 'v-' || d || ':w', n, n, 1, 500, 'status 500', ''
    from generate_series(1, 100) d, generate_series(100001, 100150) n`,
  `insert into ${deliveries} select '${BIG}', 'h-' || i, 'v-' || i, 'handler-1', 'Pending', 0, 0, case when i <= 2000 then i else ${NOW + DAY} end, i, 'handler-1', i::text,
    case when i <= 1000 then 't' end, case when i <= 1000 then ${NOW} end ${series(COUNTED)}`
]

/** The wholes of what has no bound. */
const WHOLE = {
  sims: 1_000_000,
  sums: 2_000_000,
  charges: 2_000_000,
  /** Free eSIMs of each label in each organization that is watched. */
  stock: 1_000,
  /** Of one SIM: a day, a country, a plan each. */
  entries: 120_000,
  profileChanges: 10_000,
  problems: 100_000,
  problemsOfSim: 10_000,
  regions: 1_000_000,
  /** To one endpoint, in 30 days. */
  deliveries: 500_000,
  failedOfHandler: 100_000,
  /** Behind an earlier event of their SIM. */
  waitingOfHandler: 100_000
}

/** The shares of these beyond `from` up to `to`, of 1. */
export const growing = (from: number, to: number): ReadonlyArray<string> => {
  const part = (whole: number): string =>
    `from generate_series(${Math.floor(from * whole) + 1}, ${Math.floor(to * whole)}) i`
  const itsIccid = `'8933' || lpad((100 + i)::text, 15, '0')`
  return [
    `insert into ${simColumns} select '${BIG}', ${itsIccid}, 'sim-' || i, i, 'Green', true, i,
        case when i % 2 = 0 then 'InService' else 'Free' end, case when i % 2 = 0 then 's-' || i end, false, false, 1, null,
        '20893' || lpad(i::text, 10, '0'), '4670' || lpad(i::text, 8, '0') ${part(WHOLE.sims)}`,
    `insert into simplan.iccid select ${itsIccid}, '${BIG}' ${part(WHOLE.sims)}`,
    `insert into simplan.subscription select '${BIG}', 's-' || i, ${itsIccid}, 'order inside', ${NOW} + i, 'Live' ${part(WHOLE.sims)}
      where i % 2 = 0`,
    `insert into ${attachments} select '${BIG}', 'a-s-' || i, 's-' || i, ${itsIccid}, 'p-1', ${terms}, 'order inside', i, true, 0
      ${part(WHOLE.sims)} where i % 2 = 0`,
    `insert into ${packages} select '${BIG}', 'a-s-' || i, 0, ${itsIccid}, 'Created', 't', 0 ${part(WHOLE.sims)} where i % 2 = 0`,
    `insert into ${simColumns} select ${name("of")}, '8' || lpad(of::text, 4, '0') || label || lpad(i::text, 9, '0'),
        'sim', label * 1000000 + i, (array['Green', 'Aqua', 'Blue', 'Voilet', 'Red', 'Grey', 'Orange'])[label], true, i, 'Free',
        null, false, false, 1, null, null, null
      ${part(WHOLE.stock)}, generate_series(1, ${WATCHED}) of, generate_series(1, 7) label`,
    `insert into simplan.usage_total select '${BIG}', ${TODAY} - (i % ${DAYS}) * ${DAY}::bigint,
        chr(65 + (i / ${DAYS} % 20)) || chr(65 + (i / ${DAYS * 20} % 26)), 'p-' || i, 'Green', 0, 1 ${part(WHOLE.sums)}`,
    `insert into simplan.usage_entry select '${BIG}', '8933' || lpad((101 + i % 800)::text, 15, '0'), 'a',
        ${TODAY} - (i / 800 % ${DAYS}) * ${DAY}::bigint, 'C' || i / ${800 * DAYS}, 1 ${part(WHOLE.sums)}`,
    `insert into simplan.usage_entry select '${BIG}', '${FULL_SIM}', 'a-' || i / ${DAYS} % 6,
        ${TODAY} - (i % ${DAYS}) * ${DAY}::bigint, 'C' || i / ${DAYS * 6}, 1 ${part(WHOLE.entries)}`,
    `insert into simplan.cost (organization_id, cost_id, kind, at, telco, load, label, region_code, iccid, amount, currency)
      select case i % 2 when 0 then '${BIG}' else ${name("i % 100")} end, 'purchase:' || i, 'purchase', ${NOW} - i * 15000::bigint, 'telco', 'load',
        'Green', 'FR', '1', 1.90, 'USD' ${part(WHOLE.charges)}`,
    `insert into simplan.smdp_entry (organization_id, iccid, modified_at, report_id, state, modification_result)
      select '${BIG}', '${FULL_SIM}', i, 'r-' || i, 'Enable', 'Success' ${part(WHOLE.profileChanges)}`,
    `insert into ${jobs} select 'p-' || i, '${BIG}', ${work("SendSms", "'1'")}, 1, 1, i, null, 1, null, null ${part(WHOLE.problems)}`,
    `insert into ${jobs} select 's-' || i, '${BIG}', ${work("SendSms", `'${FULL_SIM}'`)}, 1, 1, i, null, 1, null, null
      ${part(WHOLE.problemsOfSim)}`,
    `insert into simplan.region select ${name("1 + i / 1000")}, 'c-' || i, 'C', 'R-' || i, 'Green', '{FR}', 'FR' || i, i
      ${part(WHOLE.regions)}`,
    `insert into simplan.event select '${BIG}', 'v-' || i, i, ${payload(`case when i <= 2000 then '${FULL_SIM}' else 'x' || i end`)}
      ${part(WHOLE.deliveries)}`,
    `insert into ${deliveries} select '${BIG}', 'v-' || i || ':w', 'v-' || i, 'w-1', 'Delivered', 1, 0, null, i, null, null,
        null, null ${part(WHOLE.deliveries)}`,
    `insert into simplan.delivery_attempt select '${BIG}', 'v-' || i || ':w', 1, i, 1, 500, 'status 500', ''
      ${part(WHOLE.deliveries)}`,
    `insert into ${deliveries} select '${BIG}', 'f-' || i, 'v-' || i, 'handler-1', 'Failed', 1, 0, null, i, 'handler-1', '1',
        null, null ${part(WHOLE.failedOfHandler)}`,
    `insert into ${deliveries} select '${BIG}', 'b-' || i, 'v-' || i, 'handler-1', 'Pending', 0, 0, -i, ${COUNTED} + i, 'handler-1', '1',
        null, null ${part(WHOLE.waitingOfHandler)}`
  ]
}
