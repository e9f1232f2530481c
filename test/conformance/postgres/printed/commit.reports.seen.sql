with taken_report_put as (
  insert into simplan.taken_report (
    organization_id, report_id, received_at
  )
  select r."organizationId", r."reportId", r."receivedAt"
  from (
    select columns."reportId",coalesce(columns."receivedAt", $1::bigint) as "receivedAt",$2::text as "organizationId"
    from unnest(($3::text)::text[],($4::text)::bigint[]) with ordinality columns ("reportId", "receivedAt", place)
    where columns.place between 1 and 2147483647
  ) r
  on conflict do nothing
  returning 1
)
select (select count(*) from taken_report_put);
