// Creating a subscription by hand, in two ways: one that only inserts the rows, and one that claims
// a SIM and makes the same durable steps as simplan: what is about to be done is committed, then
// the telco is asked, then the outcome is committed, so that whoever comes after a crash can finish
// it.

const insertRows = `
  with sim as (
    select sim_id, iccid, label, lpa from simplan.sim where organization_id = $1 and iccid = $2
  ), plan as (
    select terms from simplan.plan where organization_id = $1 and plan_id = $3
  ), subscription as (
    insert into simplan.subscription
    select $1, $4, sim.iccid, $6, $7, 'Live' from sim
  ), attachment as (
    insert into simplan.attachment (organization_id, attachment_id, subscription_id, iccid, plan_id, terms, metadata,
      created_at, confirmed, last_threshold_notified)
    select $1, $5, $4, sim.iccid, $3, plan.terms, $6, $7, true, 0 from sim, plan
  ), package as (
    insert into simplan.package (organization_id, attachment_id, occurrence, iccid, status, telco_package_id, used_bytes)
    select $1, $5, 0, sim.iccid, 'Created', 'T' || $5, 0 from sim
  )
  select sim.* from sim, plan`

const findPlan = `
  select terms from simplan.plan
  where organization_id = $1 and plan_id = $2 and archived_at is null and deleted_at is null`

const begin = `
  with chosen as (
    select organization_id, iccid from simplan.sim
    where organization_id = $1 and label = $2 and is_esim and allocated_to is null and not downloaded
    order by recycled_at nulls first, import_sequence
    limit 1
    for update skip locked
  ), sim as (
    update simplan.sim s set allocation = 'Provisioning', allocated_to = $4, version = s.version + 1
    from chosen
    where s.organization_id = chosen.organization_id and s.iccid = chosen.iccid
    returning s.sim_id, s.iccid, s.label, s.lpa, s.version
  ), subscription as (
    insert into simplan.subscription
    select $1, $4, sim.iccid, $6, $7, 'Pending' from sim
  ), attachment as (
    insert into simplan.attachment (organization_id, attachment_id, subscription_id, iccid, plan_id, terms, metadata,
      created_at, confirmed, last_threshold_notified)
    select $1, $5, $4, sim.iccid, $3, $8::jsonb, $6, $7, false, 0 from sim
  ), job as (
    insert into simplan.job (job_id, organization_id, work, due_at, attempts, created_at, lease_token, lease_until)
    select 'provision:' || $5, $1,
      jsonb_build_object('_tag', 'Provision', 'iccid', sim.iccid, 'attachmentId', $5::text), $7::bigint, 0, $7::bigint,
      $9, $7::bigint + 60000
    from sim
  )
  select sim.* from sim`

// The simulated telco's books, as simplan's telco writes them.
const askTelco = `
  insert into simplan.telco_simulator_book as book (kind, key, document)
  values ('package', $1, jsonb_build_object('iccid', $2::text, 'terms', $3::jsonb))
  on conflict (kind, key) do update set document = book.document
  returning key, document::text as document`

const finish = `
  with sim as (
    update simplan.sim set allocation = 'InService', version = version + 1
    where organization_id = $1 and iccid = $2 and version = $3
    returning 1
  ), subscription as (
    update simplan.subscription set status = 'Live'
    where organization_id = $1 and subscription_id = $4 and exists (select from sim)
  ), attachment as (
    update simplan.attachment set confirmed = true
    where organization_id = $1 and attachment_id = $5 and exists (select from sim)
  ), package as (
    insert into simplan.package (organization_id, attachment_id, occurrence, iccid, status, telco_package_id, used_bytes)
    select $1, $5, 0, $2, 'Created', 'T' || $5, 0 from sim
  ), job as (
    delete from simplan.job where job_id = 'provision:' || $5 and lease_token = $6
    returning 1
  )
  select (select count(*) from sim) as sims, (select count(*) from job) as jobs`

const prefix = "8933012"

export const make = (statement, newId) => {
  const [insert, plan, take, telco, confirm] = [
    statement("insert", insertRows),
    statement("plan", findPlan),
    statement("begin", begin),
    statement("telco", askTelco),
    statement("finish", finish)
  ]
  const count = statement("count", "select count(*)::int as sims from simplan.sim where organization_id = $1")
  let number = 0
  let counted

  return {
    // One SIM after the other, and from the first one again: what was created has been undone by
    // then.
    inserting: async (organizationId, { metadata, plan_id: planId }) => {
      counted ??= count([organizationId])
      const [{ sims }] = await counted
      number = (number % sims) + 1
      const [subscriptionId, attachmentId, createdAt] = [newId(), newId(), Date.now()]
      const iccid = prefix + String(number).padStart(12, "0")
      const [sim] = await insert([organizationId, iccid, planId, subscriptionId, attachmentId, metadata, createdAt])
      return sim === undefined ? null : { ...sim, subscriptionId, createdAt }
    },

    durably: async (organizationId, { metadata, plan_id: planId }) => {
      const [found] = await plan([organizationId, planId])
      if (found === undefined) return null
      const { terms } = found
      const [subscriptionId, attachmentId, createdAt, token] = [newId(), newId(), Date.now(), newId()]
      const [sim] = await take([
        organizationId,
        terms.label,
        planId,
        subscriptionId,
        attachmentId,
        metadata,
        createdAt,
        JSON.stringify(terms),
        token
      ])
      if (sim === undefined) return null
      await telco([`${attachmentId}:0`, sim.iccid, JSON.stringify(terms)])
      const [done] = await confirm([organizationId, sim.iccid, sim.version, subscriptionId, attachmentId, token])
      if (done.sims !== 1 || done.jobs !== 1) throw new Error("somebody else has finished it")
      return { ...sim, subscriptionId, createdAt }
    }
  }
}
