with session_put as (
  insert into simplan.session as stored (
    session_id, ends_at, ended_at, renewals, renewed_at, cookie, asked_at, version
  )
  select r."sessionId", r."endsAt", r."endedAt", r.renewals, r."renewedAt", r.cookie, r."askedAt", r.version + 1
  from (
    select columns."sessionId", columns."cookie", columns."endsAt", columns."endedAt", columns."renewedAt",
    columns."askedAt", columns."version", columns."renewals"
    from unnest(($1::text)::text[],($2::text)::text[],($3::text)::bigint[],($4::text)::bigint[],($5::text)::bigint[],
      ($6::text)::bigint[],($7::text)::bigint[],($8::text)::integer[]) with ordinality columns ("sessionId", "cookie",
      "endsAt", "endedAt", "renewedAt", "askedAt", "version", "renewals", place)
    where columns.place between 1 and 2147483647
  ) r
  where r.version = 0 or exists (
    select from simplan.session known
    where known.session_id = r."sessionId"
  )
  on conflict (session_id) do update set
  ends_at = excluded.ends_at, ended_at = excluded.ended_at, renewals = excluded.renewals,
  renewed_at = excluded.renewed_at, cookie = excluded.cookie, asked_at = excluded.asked_at, version = excluded.version
  where stored.version = excluded.version - 1
  returning 1
)
select simplan.ensure((select count(*) from session_put) = $9::int, 'version');
