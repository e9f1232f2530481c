with delivery_renewing as (
  select * from (
    select delivery.organization_id, delivery.delivery_id
    from (
      select columns."deliveryId", columns."token",$1::text as "organizationId"
      from unnest(($2::text)::text[],($3::text)::text[]) with ordinality columns ("deliveryId", "token", place)
      where columns.place between 1 and 2147483647
    ) r
    join simplan.delivery on delivery.organization_id = r."organizationId"
    and delivery.delivery_id = r."deliveryId" and delivery.lease_token = r.token
    order by delivery.organization_id, delivery.delivery_id
    for update of delivery skip locked
  ) locked
)
update simplan.delivery set lease_until = $4::bigint
from delivery_renewing r
where delivery.organization_id = r.organization_id and delivery.delivery_id = r.delivery_id
and delivery.organization_id = $5;
