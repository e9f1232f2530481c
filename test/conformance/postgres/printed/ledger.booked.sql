select json_build_object('currency', cost.currency, 'sum', coalesce(cost.amount, 0)::text)::text as value
from simplan.cost
where cost.organization_id = $1 and cost.cost_id = $2;
