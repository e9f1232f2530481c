insert into simplan.session_key as stored (value) values ($1)
on conflict (singleton) do update set value = stored.value
returning to_json(stored.value)::text as value;
