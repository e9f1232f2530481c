delete from simplan.process where process.process_id = $1
returning to_json(process_id)::text as value;
