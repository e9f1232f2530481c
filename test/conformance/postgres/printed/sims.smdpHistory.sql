select json_build_object('organizationId', smdp_entry.organization_id, 'iccid', smdp_entry.iccid, 'reportId',
  smdp_entry.report_id, 'state', smdp_entry.state, 'modificationResult', smdp_entry.modification_result, 'modifiedAt',
  smdp_entry.modified_at)::text as value
from simplan.smdp_entry
where smdp_entry.organization_id = $1 and smdp_entry.iccid = $2
order by smdp_entry.modified_at, smdp_entry.position;
