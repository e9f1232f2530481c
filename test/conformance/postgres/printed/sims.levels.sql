select (json_build_object('organizationId', stock_level.organization_id, 'label', stock_level.label, 'level',
  stock_level.level, 'isLow', stock_level.is_low, 'version', stock_level.version))::text as value
from json_array_elements_text($1::json) as asked(organization_id)
join simplan.stock_level on stock_level.organization_id = asked.organization_id
order by stock_level.organization_id, stock_level.label;
