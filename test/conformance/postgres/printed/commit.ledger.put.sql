with cost_put as (
  insert into simplan.cost (
    organization_id, cost_id, kind, at, telco, load, label, region_code, iccid, amount, currency, attachment_id, plan_id,
    occurrence
  )
  select r."organizationId", r."costId", r.kind, r.at, r.telco, r.load, r.label, r."regionCode", r.iccid,
  r.amount::numeric, r.currency, r."attachmentId", r."planId", r.occurrence
  from (
    select columns."costId", columns."kind", columns."telco", columns."load", columns."label", columns."regionCode",
    columns."iccid", columns."amount", columns."currency", columns."attachmentId", columns."planId", columns."at",
    columns."occurrence",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::text[],($6::text)::text[],
      ($7::text)::text[],($8::text)::text[],($9::text)::text[],($10::text)::text[],($11::text)::text[],($12::text)::text[],
      ($13::text)::bigint[],($14::text)::bigint[]) with ordinality columns ("costId", "kind", "telco", "load", "label",
      "regionCode", "iccid", "amount", "currency", "attachmentId", "planId", "at", "occurrence", place)
    where columns.place between 1 and 2147483647
  ) r
  on conflict (organization_id, cost_id) do nothing
  returning 1
)
select (select count(*) from cost_put);
