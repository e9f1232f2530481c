// What makes the heavy reads of an organization cost much: its rows, and the requests for them.

const DAY = 86_400_000
const DAYS = 400
const PROFILE_CHANGES = 2_400

const today = (now) => now - (now % DAY)

/**
 * Statements that give an organization `sums` sums of 400 days and as many entries of its SIMs, the
 * first of which has a long history, and `endpoints` webhook endpoints with half as many deliveries
 * that are pending for a year.
 */
export const fill = ({ endpoints, now, organizationId, sums }) => [
  `insert into simplan.usage_total
    select '${organizationId}', ${today(now)} - (n % ${DAYS}) * ${DAY}::bigint,
      chr(65 + (n / ${DAYS} % 20)::int) || chr(65 + (n / ${DAYS * 20} % 26)::int),
      'plan ' || n / ${DAYS * 520} % 20, 'Green', n / ${DAYS * 520 * 20}, 1000000
    from generate_series(0::bigint, ${sums - 1}) n`,
  `insert into simplan.usage_entry
    select '${organizationId}', sim.iccid, 'heavy', ${today(now)} - (n % ${DAYS}) * ${DAY}::bigint, 'C' || n / ${DAYS}, 1000000
    from (
      select sim.iccid, count(*) over () as amount from simplan.sim where sim.organization_id = '${organizationId}'
    ) sim, generate_series(0, ${sums} / sim.amount) n`,
  `insert into simplan.smdp_entry (organization_id, iccid, modified_at, report_id, state, modification_result)
    select '${organizationId}', sim.iccid, ${now} - n * 60000::bigint, 'heavy ' || n, 'Enable', 'Success'
    from (
      select min(sim.iccid) as iccid from simplan.sim where sim.organization_id = '${organizationId}'
    ) sim, generate_series(1, ${PROFILE_CHANGES}) n`,
  // They take events of a type that is rare, so that nothing more becomes pending to them.
  `insert into simplan.webhook_endpoint (organization_id, endpoint_id, url, events, description, signing_keys, created_at, version)
    select '${organizationId}', 'heavy ' || e, 'https://127.0.0.1:9/' || e, '{endpoint.disabled}', '',
      jsonb_build_array(jsonb_build_object('key', 'whsec_' || encode(sha256(e::text::bytea), 'base64'), 'validUntil', null)),
      ${now}, 1
    from generate_series(1, ${endpoints}) e`,
  `insert into simplan.event
    select '${organizationId}', 'heavy ' || n, ${now},
      json_build_object('type', 'endpoint.disabled', 'data', json_build_object('endpointId', 'heavy'))
    from generate_series(1, ${Math.ceil(sums / 2 / endpoints)}) n`,
  `insert into simplan.delivery (organization_id, delivery_id, event_id, endpoint_id, status, attempts, retry_step,
      next_attempt_at, created_at)
    select '${organizationId}', 'heavy ' || n || ' ' || e, 'heavy ' || n, 'heavy ' || e, 'Pending', 0, 0,
      ${now + 365 * DAY}, ${now}
    from generate_series(1, ${Math.ceil(sums / 2 / endpoints)}) n, generate_series(1, ${endpoints}) e`,
  "vacuum (analyze)"
]

/**
 * The reads, by name: whose they are, the path, and how many are asked for at a time. `iccid` is
 * the first of the SIMs; an operator is one of the organization or of all.
 */
export const reads = ({ iccid, now, organizationId }) => {
  const date = (at) => new Date(at).toISOString().slice(0, 10)
  const usage = (by) => `/v3/usage?by=${by}&from=${date(now - (DAYS - 1) * DAY)}&to=${date(now)}`
  const of = `/admin/v1/organizations/${organizationId}`
  return [
    { name: "usage by country", holder: "key", path: usage("country"), connections: 1 },
    { name: "usage by SIM", holder: "key", path: usage("sim"), connections: 1 },
    { name: "usage by day", holder: "key", path: usage("day"), connections: 8 },
    { name: "stock", holder: "key", path: "/v3/sims/stock", connections: 8 },
    { name: "a history of profiles", holder: "key", path: `/v3/sims/${iccid}/smdp-info`, connections: 8 },
    { name: "a history", holder: "operator", path: `${of}/subscriptions/${iccid}/history`, connections: 8 },
    { name: "webhook endpoints", holder: "operator", path: `${of}/webhook-endpoints?page_size=100`, connections: 8 },
    {
      name: "problems",
      holder: "operator",
      path: `/admin/v1/problems?organization_id=${organizationId}`,
      connections: 8
    },
    { name: "the overview", holder: "operator", path: "/admin/v1/overview", connections: 8 }
  ]
}
