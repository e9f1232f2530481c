select to_json(true)::text as value from simplan.migration where migration.migration_id = $1::int;
