with attached as materialized (
  select attachment.* from simplan.attachment
  where (attachment.organization_id = $1 AND attachment.metadata <> '' AND ((simplan.folded(attachment.metadata) collate "C") >= $2::text AND (simplan.folded(attachment.metadata) collate "C") < $3::text))
  order by attachment.organization_id, (simplan.folded(attachment.metadata) collate "C")
  limit 512), place as materialized ((
  select 0 as rank, found.organization_id, found.iccid
  from (
    select subscription.* from simplan.subscription
    where (subscription.organization_id = $4 AND subscription.status = 'Live' AND subscription.subscription_id = $5)
    order by subscription.organization_id, subscription.subscription_id
    limit $6::int) found) union all (
    select 1 as rank, found.organization_id, found.iccid
    from (
      select sim.* from simplan.sim
      where (sim.organization_id = $7 AND sim.imsi = $8)
      order by sim.organization_id, sim.imsi
      limit $9::int) found) union all (
    select 2 as rank, found.organization_id, found.iccid
    from (
      select sim.* from simplan.sim
      where (sim.organization_id = $10 AND sim.msisdn = any($11::text[]))
      order by sim.organization_id, sim.msisdn
      limit $12::int) found) union all (
    select 3 as rank, found.organization_id, found.iccid
    from (
      select sim.* from simplan.sim
      where (sim.organization_id = $13 AND (sim.iccid >= $14::text AND sim.iccid < $15::text))
      order by sim.organization_id, sim.iccid
      limit $16::int) found) union all (
    select 3 as rank, found.organization_id, found.iccid
    from (
      select iccid.* from simplan.iccid
      where (iccid.organization_id = $17 AND (reverse(iccid.iccid) >= $18::text AND reverse(iccid.iccid) < $19::text))
      order by iccid.organization_id, reverse(iccid.iccid)
      limit $20::int) found) union all (
    select 4 as rank, found.organization_id, found.iccid
    from (
      select subscription.* from simplan.subscription
      where (subscription.organization_id = $21 AND subscription.status = 'Live' AND subscription.metadata <> '' AND ((simplan.folded(subscription.metadata) collate "C") >= $22::text AND (simplan.folded(subscription.metadata) collate "C") < $23::text))
      order by subscription.organization_id, (simplan.folded(subscription.metadata) collate "C")
      limit $24::int) found) union all (
    select 4 as rank, attachment.organization_id, attachment.iccid
    from attached attachment
    cross join lateral (
      select from simplan.subscription
      where subscription.organization_id = $25
      and subscription.subscription_id = attachment.subscription_id and subscription.status = 'Live'
      limit 1
    ) subscription
    where attachment.confirmed)), asked as materialized (
  select count(*) <= $26::int as more
  from (select distinct place.organization_id, place.iccid from place) found
), attached_inside as materialized (
  with found as materialized (
    with rows_of_all as materialized (
      select attachment.* from unnest($27::text[]) bucket (words)
      join simplan.attachment on (metadata <> '' AND starts_with(bucket.words, case right(attachment.attachment_id, 1)
        when '0' then substr('JIHGGFFFFEEEEEEEE', position(left(right(attachment.attachment_id, 2),
          1) in '0123456789abcdef') + 1, 1)
        else substr('JJDCCBBBBAAAAAAAA', position(right(attachment.attachment_id, 1) in '0123456789abcdef') + 1, 1)
        end) AND array_remove(string_to_array((case right(attachment.attachment_id, 1)
          when '0' then substr('JIHGGFFFFEEEEEEEE', position(left(right(attachment.attachment_id, 2),
            1) in '0123456789abcdef') + 1, 1)
          else substr('JJDCCBBBBAAAAAAAA', position(right(attachment.attachment_id, 1) in '0123456789abcdef') + 1, 1)
          end) || replace(case
            when octet_length(attachment.metadata) = char_length(attachment.metadata)
            then translate(lower(left(attachment.metadata, 256) collate "C"), E'\t\n\x0b\x0c\r !"#$%&''()*+,
              -./:;<=>?@[\\]^_\x60{|}~', ' ')
            else translate(
              left(attachment.metadata, 256) collate "C",
              E'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ «·»–—‘’“”„…\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
              'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя '
            )
            end, ' ', ' ' || (case right(attachment.attachment_id, 1)
              when '0' then substr('JIHGGFFFFEEEEEEEE', position(left(right(attachment.attachment_id, 2),
                1) in '0123456789abcdef') + 1, 1)
              else substr('JJDCCBBBBAAAAAAAA', position(right(attachment.attachment_id, 1) in '0123456789abcdef') + 1, 1)
              end)), ' '), (case right(attachment.attachment_id, 1)
            when '0' then substr('JIHGGFFFFEEEEEEEE', position(left(right(attachment.attachment_id, 2),
              1) in '0123456789abcdef') + 1, 1)
            else substr('JJDCCBBBBAAAAAAAA', position(right(attachment.attachment_id, 1) in '0123456789abcdef') + 1, 1)
            end)) @> string_to_array(bucket.words, ' ')) ),
    anyones as materialized (select * from rows_of_all limit 1025),
    are_many as materialized (select count(*) > 1024 as are_many from anyones),
    own as materialized (
      select attachment.* from unnest($28::text[]) bucket (words)
      join simplan.attachment on (metadata <> '' AND starts_with(bucket.words, case right(attachment.attachment_id, 1)
        when '0' then substr('JIHGGFFFFEEEEEEEE', position(left(right(attachment.attachment_id, 2),
          1) in '0123456789abcdef') + 1, 1)
        else substr('JJDCCBBBBAAAAAAAA', position(right(attachment.attachment_id, 1) in '0123456789abcdef') + 1, 1)
        end) AND array_remove(string_to_array((case right(attachment.attachment_id, 1)
          when '0' then substr('JIHGGFFFFEEEEEEEE', position(left(right(attachment.attachment_id, 2),
            1) in '0123456789abcdef') + 1, 1)
          else substr('JJDCCBBBBAAAAAAAA', position(right(attachment.attachment_id, 1) in '0123456789abcdef') + 1, 1)
          end) || replace(case
            when octet_length(attachment.metadata) = char_length(attachment.metadata)
            then translate(lower(left(attachment.metadata, 256) collate "C"), E'\t\n\x0b\x0c\r !"#$%&''()*+,
              -./:;<=>?@[\\]^_\x60{|}~', ' ')
            else translate(
              left(attachment.metadata, 256) collate "C",
              E'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ «·»–—‘’“”„…\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
              'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя '
            )
            end, ' ', ' ' || (case right(attachment.attachment_id, 1)
              when '0' then substr('JIHGGFFFFEEEEEEEE', position(left(right(attachment.attachment_id, 2),
                1) in '0123456789abcdef') + 1, 1)
              else substr('JJDCCBBBBAAAAAAAA', position(right(attachment.attachment_id, 1) in '0123456789abcdef') + 1, 1)
              end)), ' '), (case right(attachment.attachment_id, 1)
            when '0' then substr('JIHGGFFFFEEEEEEEE', position(left(right(attachment.attachment_id, 2),
              1) in '0123456789abcdef') + 1, 1)
            else substr('JJDCCBBBBAAAAAAAA', position(right(attachment.attachment_id, 1) in '0123456789abcdef') + 1, 1)
            end)) @> string_to_array(bucket.words, ' ') AND array[attachment.organization_id] @> array[$29]::text[]) )
    select * from anyones
    where not (select are_many from are_many) and anyones.organization_id = $30
    union all
    select * from own where (select are_many from are_many))
  select found.* from found where (select asked.more from asked) limit 512), inside as materialized ((
  with found as materialized (
    with rows_of_all as materialized (
      select subscription.* from unnest($31::text[]) bucket (words)
      join simplan.subscription on (status = 'Live' and metadata <> '' AND starts_with(bucket.words,
        case right(subscription.subscription_id, 1)
        when '0' then substr('JIHGGFFFFEEEEEEEE', position(left(right(subscription.subscription_id, 2),
          1) in '0123456789abcdef') + 1, 1)
        else substr('JJDCCBBBBAAAAAAAA', position(right(subscription.subscription_id, 1) in '0123456789abcdef') + 1, 1)
        end) AND array_remove(string_to_array((case right(subscription.subscription_id, 1)
          when '0' then substr('JIHGGFFFFEEEEEEEE', position(left(right(subscription.subscription_id, 2),
            1) in '0123456789abcdef') + 1, 1)
          else substr('JJDCCBBBBAAAAAAAA', position(right(subscription.subscription_id, 1) in '0123456789abcdef') + 1, 1)
          end) || replace(case
            when octet_length(subscription.metadata) = char_length(subscription.metadata)
            then translate(lower(left(subscription.metadata, 256) collate "C"), E'\t\n\x0b\x0c\r !"#$%&''()*+,
              -./:;<=>?@[\\]^_\x60{|}~', ' ')
            else translate(
              left(subscription.metadata, 256) collate "C",
              E'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ «·»–—‘’“”„…\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
              'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя '
            )
            end, ' ', ' ' || (case right(subscription.subscription_id, 1)
              when '0' then substr('JIHGGFFFFEEEEEEEE', position(left(right(subscription.subscription_id, 2),
                1) in '0123456789abcdef') + 1, 1)
              else substr('JJDCCBBBBAAAAAAAA', position(right(subscription.subscription_id, 1) in '0123456789abcdef') + 1, 1)
              end)), ' '), (case right(subscription.subscription_id, 1)
            when '0' then substr('JIHGGFFFFEEEEEEEE', position(left(right(subscription.subscription_id, 2),
              1) in '0123456789abcdef') + 1, 1)
            else substr('JJDCCBBBBAAAAAAAA', position(right(subscription.subscription_id, 1) in '0123456789abcdef') + 1, 1)
            end)) @> string_to_array(bucket.words, ' ')) ),
    anyones as materialized (select * from rows_of_all limit 1025),
    are_many as materialized (select count(*) > 1024 as are_many from anyones),
    own as materialized (
      select subscription.* from unnest($32::text[]) bucket (words)
      join simplan.subscription on (status = 'Live' and metadata <> '' AND starts_with(bucket.words,
        case right(subscription.subscription_id, 1)
        when '0' then substr('JIHGGFFFFEEEEEEEE', position(left(right(subscription.subscription_id, 2),
          1) in '0123456789abcdef') + 1, 1)
        else substr('JJDCCBBBBAAAAAAAA', position(right(subscription.subscription_id, 1) in '0123456789abcdef') + 1, 1)
        end) AND array_remove(string_to_array((case right(subscription.subscription_id, 1)
          when '0' then substr('JIHGGFFFFEEEEEEEE', position(left(right(subscription.subscription_id, 2),
            1) in '0123456789abcdef') + 1, 1)
          else substr('JJDCCBBBBAAAAAAAA', position(right(subscription.subscription_id, 1) in '0123456789abcdef') + 1, 1)
          end) || replace(case
            when octet_length(subscription.metadata) = char_length(subscription.metadata)
            then translate(lower(left(subscription.metadata, 256) collate "C"), E'\t\n\x0b\x0c\r !"#$%&''()*+,
              -./:;<=>?@[\\]^_\x60{|}~', ' ')
            else translate(
              left(subscription.metadata, 256) collate "C",
              E'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ «·»–—‘’“”„…\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
              'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя '
            )
            end, ' ', ' ' || (case right(subscription.subscription_id, 1)
              when '0' then substr('JIHGGFFFFEEEEEEEE', position(left(right(subscription.subscription_id, 2),
                1) in '0123456789abcdef') + 1, 1)
              else substr('JJDCCBBBBAAAAAAAA', position(right(subscription.subscription_id, 1) in '0123456789abcdef') + 1, 1)
              end)), ' '), (case right(subscription.subscription_id, 1)
            when '0' then substr('JIHGGFFFFEEEEEEEE', position(left(right(subscription.subscription_id, 2),
              1) in '0123456789abcdef') + 1, 1)
            else substr('JJDCCBBBBAAAAAAAA', position(right(subscription.subscription_id, 1) in '0123456789abcdef') + 1, 1)
            end)) @> string_to_array(bucket.words, ' ') AND array[subscription.organization_id] @> array[$33]::text[]) )
    select * from anyones
    where not (select are_many from are_many) and anyones.organization_id = $34
    union all
    select * from own where (select are_many from are_many))
  select 4 as rank, found.organization_id, found.iccid
  from found where (select asked.more from asked) limit $35::int) union all (
    select 4 as rank, attachment.organization_id, attachment.iccid
    from attached_inside attachment
    cross join lateral (
      select from simplan.subscription
      where subscription.organization_id = $36
      and subscription.subscription_id = attachment.subscription_id and subscription.status = 'Live'
      limit 1
    ) subscription
    where attachment.confirmed)),
hit as materialized (
  select place.organization_id, place.iccid, min(place.rank) as rank
  from (select * from place union all select * from inside) place
  group by place.organization_id, place.iccid
  order by min(place.rank), place.organization_id, place.iccid
  limit $37::int
)
(select json_build_object(
  'organizationId', hit.organization_id, 'organizationName', organization.name, 'iccid', hit.iccid,
  'label', sim.label, 'subscriptionId', subscription.subscription_id, 'rank', hit.rank, 'status', sim.status,
  'isPaused', sim.is_paused, 'planName', newest.plan_name, 'metadata', left(case
    when (starts_with(simplan.folded(subscription.metadata), $38::text) OR array_remove(string_to_array(case
      when octet_length(subscription.metadata) = char_length(subscription.metadata)
      then translate(lower(left(subscription.metadata, 256) collate "C"), E'\t\n\x0b\x0c\r !"#$%&''()*+,
        -./:;<=>?@[\\]^_\x60{|}~', ' ')
      else translate(
        left(subscription.metadata, 256) collate "C",
        E'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ «·»–—‘’“”„…\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
        'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя '
      )
      end, ' '), '') @> $39::text[]) then subscription.metadata
    else coalesce(noted.metadata, subscription.metadata)
    end, 256)
  )::text as value
  from hit
  cross join lateral (
    select organization.name from simplan.organization
    where organization.organization_id = $40
    limit 1
  ) organization
  cross join lateral (
    select sim.label, case when sim.allocation in ('Free') then 'free' when sim.allocation in ('Provisioning',
      'InService') then 'in_use' when sim.allocation in ('Releasing') then 'releasing' when sim.allocation in ('Withdrawn',
      'Replaced') then 'withdrawn' end as status, sim.paused_at is not null as is_paused from simplan.sim
    where sim.organization_id = $41 and sim.iccid = hit.iccid
    limit 1
  ) sim
  left join lateral (
    select subscription.subscription_id, subscription.metadata from simplan.subscription
    where subscription.organization_id = $42 and subscription.iccid = hit.iccid
    and subscription.status <> 'Deleted' and subscription.status = 'Live'
    limit 1
  ) subscription on true
  left join lateral (
    select attachment.terms->>'name' as plan_name from simplan.attachment
    where attachment.organization_id = $43
    and attachment.subscription_id = subscription.subscription_id and attachment.confirmed
    order by attachment.created_at desc, attachment.attachment_id desc
    limit 1
  ) newest on true
  left join lateral (
    select attachment.metadata from simplan.attachment
    where attachment.organization_id = $44
    and attachment.subscription_id = subscription.subscription_id and attachment.confirmed
    and (starts_with(simplan.folded(attachment.metadata), $45::text) OR array_remove(string_to_array(case
      when octet_length(attachment.metadata) = char_length(attachment.metadata)
      then translate(lower(left(attachment.metadata, 256) collate "C"), E'\t\n\x0b\x0c\r !"#$%&''()*+,
        -./:;<=>?@[\\]^_\x60{|}~', ' ')
      else translate(
        left(attachment.metadata, 256) collate "C",
        E'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ «·»–—‘’“”„…\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
        'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя '
      )
      end, ' '), '') @> $46::text[])
    order by attachment.created_at desc, attachment.attachment_id desc
    limit 1
  ) noted on true
  order by hit.rank, hit.organization_id, hit.iccid)
union all
select json_build_object('rank', -1)::text
where (select count(*) from attached) = 512 or (select count(*) from attached_inside) = 512;
