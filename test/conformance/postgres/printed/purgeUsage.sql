select to_json(simplan.keep_usage_months($1::bigint, $2::bigint))::text as value;
