with given as (
  select *, row_number() over (partition by iccid order by position) = 1 as is_first
  from (
    select * from json_to_recordset(($1::text)::json) as r("organizationId" text, "simId" text, iccid text, label text,
      "isEsim" boolean, lpa text, "createdAt" bigint, allocation text, "allocatedTo" text, imsi text, msisdn text,
      "subscriberId" text, "recycledAt" bigint, "movedTo" text, downloaded boolean, smdp jsonb, location jsonb,
      "lastActivityAt" bigint, moves jsonb, tags jsonb, purchase jsonb, "mobilePlan" jsonb, service jsonb, position integer)
    limit $2::int
  ) r
), registered as (
  insert into simplan.iccid (iccid, organization_id)
  select given.iccid, given."organizationId" from given where given.is_first order by given.iccid collate "C"
  on conflict (iccid) do nothing
  returning iccid, organization_id
), counted as (
  insert into simplan.import_sequence as counter (organization_id, last)
  select registered.organization_id, count(*) from registered
  group by registered.organization_id order by registered.organization_id
  on conflict (organization_id) do update set last = counter.last + excluded.last
  returning organization_id, last
), numbered as (
  select given.*, counted.last - count(*) over (partition by given."organizationId")
  + row_number() over (partition by given."organizationId" order by given.position) as import_sequence
  from given
  join registered on registered.iccid = given.iccid
  join counted on counted.organization_id = given."organizationId"
  where given.is_first
), inserted as (
  insert into simplan.sim (
    organization_id, sim_id, iccid, import_sequence, label, is_esim, lpa, created_at, allocation, allocated_to, version,
    imsi, msisdn, subscriber_id, releasing, recycled_at, moved_to, downloaded, smdp, location, last_activity_at,
    mobile_plan_applied, mobile_plan_target, paused_at, service_change, service_active, moves, tags, purchase
  )
  select r."organizationId", r."simId", r.iccid, r.import_sequence, r.label, r."isEsim", r.lpa, r."createdAt",
  r.allocation, r."allocatedTo", 1, r.imsi, r.msisdn, r."subscriberId", nullif(r.allocation in ('Releasing'), false),
  r."recycledAt", r."movedTo", r.downloaded, r.smdp, r.location, r."lastActivityAt",
  (r."mobilePlan"->>'applied')::boolean, (r."mobilePlan"->>'target')::boolean, (r.service->>'pausedAt')::bigint,
  r.service->>'changeId', (r.service->>'active')::boolean, r.moves, r.tags, r.purchase
  from numbered r
  returning 1
), differing as (
  select * from (
    select sim.organization_id, sim.iccid, given.lpa, given.imsi, given.msisdn, given."subscriberId"
    from given
    join simplan.sim on sim.organization_id = given."organizationId" and sim.iccid = given.iccid
    and sim.organization_id = $3
    where given.is_first and (select count(*) from inserted) >= 0 and (
      given.imsi <> coalesce(sim.imsi, '') or given.msisdn <> coalesce(sim.msisdn,
        '') or given."subscriberId" <> coalesce(sim.subscriber_id, '') or given.lpa is not null and sim.lpa is null
      and sim.is_esim
    )
    order by sim.organization_id, sim.iccid
    for no key update of sim
  ) locked
), updated as (
  update simplan.sim set imsi = coalesce(r.imsi, sim.imsi), msisdn = coalesce(r.msisdn, sim.msisdn),
  subscriber_id = coalesce(r."subscriberId", sim.subscriber_id),
  lpa = coalesce(sim.lpa, case when sim.is_esim then r.lpa end)
  from differing r
  where sim.organization_id = r.organization_id and sim.iccid = r.iccid and sim.organization_id = $4
  returning sim.iccid
), audited as (
  insert into simplan.audit_entry (
    organization_id, entry_id, created_at, actor, action, resource_id, iccid, address, request_id, reason, changed
  )
  select r."organizationId", r."entryId", r."createdAt", r.actor, r.action, r."resourceId", r.iccid, r.address,
  r."requestId", r.reason, r.changed
  from (
    select columns."entryId", columns."actor", columns."action", columns."resourceId", columns."iccid", columns."address",
    columns."requestId", columns."reason", columns."createdAt", columns."changed",$5::text as "organizationId"
    from unnest(($6::text)::text[],($7::text)::text[],($8::text)::text[],($9::text)::text[],($10::text)::text[],
      ($11::text)::text[],($12::text)::text[],($13::text)::text[],($14::text)::bigint[],
      ($15::text)::jsonb[]) with ordinality columns ("entryId", "actor", "action", "resourceId", "iccid", "address",
      "requestId", "reason", "createdAt", "changed", place)
    where columns.place between 1 and 2147483647
  ) r
  where exists (select from registered) or exists (select from updated)
  on conflict (organization_id, created_at, entry_id) do nothing
  returning 1
)
select json_build_object(
  'iccid', given.iccid, 'imported', given.is_first and registered.iccid is not null,
  'updated', given.is_first and updated.iccid is not null,
  'organizationId', coalesce(known.organization_id, registered.organization_id),
  'stored', case when sim.label <> given.label or sim.is_esim <> given."isEsim" or sim.lpa <> given.lpa
  then json_build_object('label', sim.label, 'isEsim', sim.is_esim, 'lpa', sim.lpa) end
)::text as value
from given
left join registered on registered.iccid = given.iccid
left join updated on updated.iccid = given.iccid
left join (
  select iccid.iccid, iccid.organization_id
  from simplan.iccid
  where iccid.iccid = any(array(select asked.iccid from given asked))
) known on known.iccid = given.iccid
left join (
  select sim.organization_id, sim.iccid, sim.label, sim.is_esim, sim.lpa
  from simplan.sim
  where sim.organization_id = any(array(select distinct asked."organizationId" from given asked))
  and sim.iccid = any(array(select asked.iccid from given asked)) and sim.organization_id = $16
) sim on given.is_first and sim.organization_id = given."organizationId" and sim.iccid = given.iccid
order by given.position;
