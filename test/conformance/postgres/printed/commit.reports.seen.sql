with taken_report_put as (
  insert into simplan.taken_report (
    organization_id, report_id, received_at
  )
  select r."organizationId", r."reportId", r."receivedAt"
  from (
    select columns."reportId",coalesce(columns."organizationId", $1::text) as "organizationId",
    coalesce(columns."receivedAt", $2::bigint) as "receivedAt"
    from unnest(($3::text)::text[],($4::text)::text[],($5::text)::bigint[]) with ordinality columns ("organizationId",
      "reportId", "receivedAt", place)
    where columns.place between 1 and 2147483647
  ) r
  on conflict do nothing
  returning 1
)
select (select count(*) from taken_report_put);
