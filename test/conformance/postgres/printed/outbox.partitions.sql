select simplan.delivery_partitions(
  $1::bigint, $2::bigint, $3::text, $4::int
)::text as value;
