select catalogue.value::text as value from simplan.catalogue;
