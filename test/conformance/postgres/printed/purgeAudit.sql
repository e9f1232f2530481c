select to_json(simplan.keep_partitions($1, $2::bigint, $3::bigint))::text as value;
