select (json_build_object('organizationId', stock_level.organization_id, 'label', stock_level.label, 'level',
  stock_level.level, 'isLow', stock_level.is_low, 'version', stock_level.version))::text as value
from simplan.stock_level
where stock_level.organization_id = any(array(
  select json_array_elements_text($1::json)
))
order by stock_level.organization_id, stock_level.label;
