with candidate as materialized (
  select places.iccid from ((
    select sim.iccid from simplan.sim
    where sim.organization_id = $1 and (sim.iccid >= $2::text AND sim.iccid < $3::text)
    order by sim.organization_id, sim.iccid
    limit 513
    ) union all (
      select iccid.iccid from simplan.iccid
      where iccid.organization_id = $4 and (reverse(iccid.iccid) >= $5::text AND reverse(iccid.iccid) < $6::text)
      order by iccid.organization_id, reverse(iccid.iccid)
      limit 513
    ) union all (
      select sim.iccid from simplan.sim
      where sim.organization_id = $7 and sim.imsi = $8
      order by sim.organization_id, sim.imsi
      limit 513
    ) union all (
      select sim.iccid from simplan.sim
      where sim.organization_id = $9 and sim.msisdn = any($10::text[])
      order by sim.organization_id, sim.msisdn
      limit 513
    ) union all (
      select subscription.iccid from simplan.subscription
      where subscription.organization_id = $11 and subscription.subscription_id = $12
      order by subscription.organization_id, subscription.subscription_id
      limit 513
    ) union all (
      select subscription.iccid from simplan.subscription
      where subscription.organization_id = $13
      and ((simplan.folded(subscription.metadata) collate "C") >= $14::text AND (simplan.folded(subscription.metadata) collate "C") < $15::text) and subscription.status = 'Live' and subscription.metadata <> ''
      order by subscription.organization_id, (simplan.folded(subscription.metadata) collate "C")
      limit 513
    ) union all (
      select attachment.iccid from simplan.attachment
      where attachment.organization_id = $16
      and ((simplan.folded(attachment.metadata) collate "C") >= $17::text AND (simplan.folded(attachment.metadata) collate "C") < $18::text) and attachment.metadata <> ''
      order by attachment.organization_id, (simplan.folded(attachment.metadata) collate "C")
      limit 513
    ) union all (
      with worded as materialized (
        with rows_of_all as materialized (
          select subscription.* from unnest($19::text[]) bucket (words)
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
          select subscription.* from unnest($20::text[]) bucket (words)
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
                end)) @> string_to_array(bucket.words, ' ') AND array[subscription.organization_id] @> array[$21]::text[]) )
        select * from anyones
        where not (select are_many from are_many) and anyones.organization_id = $22
        union all
        select * from own where (select are_many from are_many))
      select worded.iccid from worded limit 513
    ) union all (
      with worded as materialized (
        with rows_of_all as materialized (
          select attachment.* from unnest($23::text[]) bucket (words)
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
          select attachment.* from unnest($24::text[]) bucket (words)
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
                end)) @> string_to_array(bucket.words, ' ') AND array[attachment.organization_id] @> array[$25]::text[]) )
        select * from anyones
        where not (select are_many from are_many) and anyones.organization_id = $26
        union all
        select * from own where (select are_many from are_many))
      select worded.iccid from worded limit 513
  )) places
  limit 513
), counted as materialized (select count(*) as places, count(*) > 512 as is_scan from candidate)
select json_build_object(
  'isScan', counted.is_scan, 'places', counted.places, 'found', coalesce(
    (
      select json_agg(json_build_object('at', found.at, 'cursor', found.cursor, 'item', found.item) order by found.at)
      from ((
        select subscription.scanned_at as at, json_build_object('createdAt', subscription.created_at, 'id',
          subscription.subscription_id) as cursor,
        case when filtered.is_taken then json_build_array(json_build_array(subscription.subscription_id, subscription.metadata,
          subscription.created_at), json_build_array(sim.sim_id, sim.iccid, sim.import_sequence, sim.label, sim.is_esim, sim.lpa,
            sim.created_at, sim.allocation, sim.allocated_to, sim.version,
            case when sim.recycled_at is not null or sim.moved_to is not null or sim.downloaded or sim.smdp is not null or sim.location is not null or sim.last_activity_at is not null or sim.mobile_plan_applied or sim.mobile_plan_target is not null or sim.paused_at is not null or sim.service_change is not null or sim.service_active is not null or sim.moves is not null or sim.tags is not null or sim.purchase is not null
            then json_build_array(sim.recycled_at, sim.moved_to, sim.downloaded, sim.smdp, sim.location, sim.last_activity_at,
              sim.mobile_plan_applied, sim.mobile_plan_target, sim.paused_at, sim.service_change, sim.service_active, sim.moves,
              sim.tags, sim.purchase)
            end, case when coalesce(sim.imsi, sim.msisdn, sim.subscriber_id) is not null
            then json_build_array(sim.imsi, sim.msisdn, sim.subscriber_id)
            end)) end as item
        from (
          select subscription.*, row_number() over listed as scanned_at, lead(1) over listed is null as is_last
          from simplan.subscription
          where (select counted.is_scan from counted)
          and (subscription.organization_id = $27 AND subscription.status = 'Live' AND subscription.created_at > $28::bigint AND (subscription.created_at, subscription.subscription_id)
            > ($29::bigint, $30::text))
          window listed as (order by subscription.created_at, subscription.subscription_id)
          order by subscription.created_at, subscription.subscription_id
          limit 512
        ) subscription
        cross join lateral (
          select * from simplan.sim
          where sim.organization_id = $31 and sim.iccid = subscription.iccid
          limit 1
        ) sim
        cross join lateral (select (sim.label = $32 AND exists (
          select from jsonb_array_elements_text(sim.tags) tags (tag) where simplan.folded(tags.tag) = $33::text
          ) AND sim.paused_at is null AND (starts_with(sim.iccid, $34::text) OR starts_with(reverse(sim.iccid),
            $35::text) OR sim.imsi = $36 OR sim.msisdn = any($37::text[]) OR exists (
              select from simplan.subscription found
              where found.organization_id = $38 and found.iccid = sim.iccid
              and found.status <> 'Deleted' and found.status = 'Live' and (
                found.subscription_id = $39
                or (starts_with(simplan.folded(found.metadata), $40::text) OR array_remove(string_to_array(case
                  when octet_length(found.metadata) = char_length(found.metadata)
                  then translate(lower(left(found.metadata, 256) collate "C"), E'\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
                    ' ')
                  else translate(
                    left(found.metadata, 256) collate "C",
                    E'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ «·»–—‘’“”„…\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
                    'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя '
                  )
                  end, ' '), '') @> $41::text[])
                or exists (
                  select from simplan.attachment
                  where attachment.organization_id = $42
                  and attachment.subscription_id = found.subscription_id and attachment.confirmed
                  and (starts_with(simplan.folded(attachment.metadata), $43::text) OR array_remove(string_to_array(case
                    when octet_length(attachment.metadata) = char_length(attachment.metadata)
                    then translate(lower(left(attachment.metadata, 256) collate "C"), E'\t\n\x0b\x0c\r !"#$%&''()*+,
                      -./:;<=>?@[\\]^_\x60{|}~', ' ')
                    else translate(
                      left(attachment.metadata, 256) collate "C",
                      E'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ «·»–—‘’“”„…\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
                      'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя '
                    )
                    end, ' '), '') @> $44::text[])
                  offset 0
                )
              )
              offset 0
          ))) as is_taken) filtered
        where filtered.is_taken or subscription.is_last or subscription.scanned_at = 512
        order by subscription.created_at, subscription.subscription_id
        limit $45::int) union all (
          select row_number() over (order by subscription.created_at, subscription.subscription_id) as at,
          json_build_object('createdAt', subscription.created_at, 'id', subscription.subscription_id) as cursor,
          json_build_array(json_build_array(subscription.subscription_id, subscription.metadata, subscription.created_at),
            json_build_array(sim.sim_id, sim.iccid, sim.import_sequence, sim.label, sim.is_esim, sim.lpa, sim.created_at,
              sim.allocation, sim.allocated_to, sim.version,
              case when sim.recycled_at is not null or sim.moved_to is not null or sim.downloaded or sim.smdp is not null or sim.location is not null or sim.last_activity_at is not null or sim.mobile_plan_applied or sim.mobile_plan_target is not null or sim.paused_at is not null or sim.service_change is not null or sim.service_active is not null or sim.moves is not null or sim.tags is not null or sim.purchase is not null
              then json_build_array(sim.recycled_at, sim.moved_to, sim.downloaded, sim.smdp, sim.location, sim.last_activity_at,
                sim.mobile_plan_applied, sim.mobile_plan_target, sim.paused_at, sim.service_change, sim.service_active, sim.moves,
                sim.tags, sim.purchase)
              end, case when coalesce(sim.imsi, sim.msisdn, sim.subscriber_id) is not null
              then json_build_array(sim.imsi, sim.msisdn, sim.subscriber_id)
              end)) as item
          from (
            select subscription.*
            from (
              select * from simplan.sim
              where sim.organization_id = $46
              and sim.iccid = any(array(select candidate.iccid from candidate where not (select counted.is_scan from counted)))
              offset 0
            ) sim
            cross join lateral (
              select * from simplan.subscription
              where subscription.organization_id = $47 and subscription.iccid = sim.iccid
              and subscription.status <> 'Deleted'
              limit 1
            ) subscription
            where (subscription.organization_id = $48 AND subscription.status = 'Live' AND subscription.created_at > $49::bigint AND (subscription.created_at, subscription.subscription_id)
              > ($50::bigint, $51::text))
            order by subscription.created_at, subscription.subscription_id
            offset 0
          ) subscription
          cross join lateral (
            select * from simplan.sim
            where sim.organization_id = $52 and sim.iccid = subscription.iccid
            limit 1
          ) sim
          where (sim.label = $53 AND exists (
            select from jsonb_array_elements_text(sim.tags) tags (tag) where simplan.folded(tags.tag) = $54::text
            ) AND sim.paused_at is null AND (starts_with(sim.iccid, $55::text) OR starts_with(reverse(sim.iccid),
              $56::text) OR sim.imsi = $57 OR sim.msisdn = any($58::text[]) OR exists (
                select from simplan.subscription found
                where found.organization_id = $59 and found.iccid = sim.iccid
                and found.status <> 'Deleted' and found.status = 'Live' and (
                  found.subscription_id = $60
                  or (starts_with(simplan.folded(found.metadata), $61::text) OR array_remove(string_to_array(case
                    when octet_length(found.metadata) = char_length(found.metadata)
                    then translate(lower(left(found.metadata, 256) collate "C"), E'\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
                      ' ')
                    else translate(
                      left(found.metadata, 256) collate "C",
                      E'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ «·»–—‘’“”„…\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
                      'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя '
                    )
                    end, ' '), '') @> $62::text[])
                  or exists (
                    select from simplan.attachment
                    where attachment.organization_id = $63
                    and attachment.subscription_id = found.subscription_id and attachment.confirmed
                    and (starts_with(simplan.folded(attachment.metadata), $64::text) OR array_remove(string_to_array(case
                      when octet_length(attachment.metadata) = char_length(attachment.metadata)
                      then translate(lower(left(attachment.metadata, 256) collate "C"), E'\t\n\x0b\x0c\r !"#$%&''()*+,
                        -./:;<=>?@[\\]^_\x60{|}~', ' ')
                      else translate(
                        left(attachment.metadata, 256) collate "C",
                        E'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ «·»–—‘’“”„…\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
                        'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя '
                      )
                      end, ' '), '') @> $65::text[])
                    offset 0
                  )
                )
                offset 0
          )))
          order by subscription.created_at, subscription.subscription_id
          limit $66::int)) found
    ),
    '[]'
  )
)::text as value
from counted;
