update simplan.delivery set lease_token = null, lease_until = null
from (
  select columns."organizationId", columns."deliveryId", columns."token"
  from unnest(($1::text)::text[],($2::text)::text[],($3::text)::text[]) with ordinality columns ("organizationId",
    "deliveryId", "token", place)
  where columns.place between 1 and 2147483647
) r
where delivery.organization_id = r."organizationId" and delivery.delivery_id = r."deliveryId"
and delivery.lease_token = r.token;
