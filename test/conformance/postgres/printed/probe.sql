select to_json(simplan.probe_write($1::bigint))::text as value;
