select to_json(simplan.keep_audit_entries($1::bigint, $2::bigint))::text as value;
