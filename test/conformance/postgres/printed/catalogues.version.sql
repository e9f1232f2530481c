select to_json(catalogue.version)::text as value from simplan.catalogue;
