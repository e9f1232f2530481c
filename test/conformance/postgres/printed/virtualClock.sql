select to_json(clock.instant)::text as value from simplan.clock;
