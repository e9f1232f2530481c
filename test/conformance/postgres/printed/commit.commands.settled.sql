with command_settled as (
  update simplan.command set outcome = r.outcome, settled_at = r."settledAt"
  from (
    select columns."commandId", columns."settledAt", columns."outcome",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::bigint[],($4::text)::json[]) with ordinality columns ("commandId",
      "settledAt", "outcome", place)
    where columns.place between 1 and 2147483647
  ) r
  where command.organization_id = r."organizationId" and command.command_id = r."commandId" and command.settled_at is null
  returning 1
)
select (select count(*) from command_settled);
