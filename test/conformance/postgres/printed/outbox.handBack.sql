update simplan.delivery set lease_token = null, lease_until = null
from (
  select columns."deliveryId", columns."token",$1::text as "organizationId"
  from unnest(($2::text)::text[],($3::text)::text[]) with ordinality columns ("deliveryId", "token", place)
  where columns.place between 1 and 2147483647
) r
where delivery.organization_id = r."organizationId" and delivery.delivery_id = r."deliveryId"
and delivery.lease_token = r.token;
