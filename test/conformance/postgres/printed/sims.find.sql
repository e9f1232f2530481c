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
      where sim.organization_id = $7 and sim.msisdn = any($8::text[])
      order by sim.organization_id, sim.msisdn
      limit 513
    ) union all (
      select subscription.iccid from simplan.subscription
      where subscription.organization_id = $9 and subscription.subscription_id = $10
      order by subscription.organization_id, subscription.subscription_id
      limit 513
    ) union all (
      select subscription.iccid from simplan.subscription
      where subscription.organization_id = $11
      and ((simplan.folded(subscription.metadata) collate "C") >= $12::text AND (simplan.folded(subscription.metadata) collate "C") < $13::text) and subscription.status = 'Live' and subscription.metadata <> ''
      order by subscription.organization_id, (simplan.folded(subscription.metadata) collate "C")
      limit 513
    ) union all (
      select attachment.iccid from simplan.attachment
      where attachment.organization_id = $14
      and ((simplan.folded(attachment.metadata) collate "C") >= $15::text AND (simplan.folded(attachment.metadata) collate "C") < $16::text) and attachment.metadata <> ''
      order by attachment.organization_id, (simplan.folded(attachment.metadata) collate "C")
      limit 513
    ) union all (
      with worded as materialized (
        with rows_of_all as materialized (
          select subscription.* from unnest($17::text[]) bucket (words)
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
          select subscription.* from unnest($18::text[]) bucket (words)
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
                end)) @> string_to_array(bucket.words, ' ') AND array[subscription.organization_id] @> array[$19]::text[]) )
        select * from anyones
        where not (select are_many from are_many) and anyones.organization_id = $20
        union all
        select * from own where (select are_many from are_many))
      select worded.iccid from worded limit 513
    ) union all (
      with worded as materialized (
        with rows_of_all as materialized (
          select attachment.* from unnest($21::text[]) bucket (words)
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
          select attachment.* from unnest($22::text[]) bucket (words)
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
                end)) @> string_to_array(bucket.words, ' ') AND array[attachment.organization_id] @> array[$23]::text[]) )
        select * from anyones
        where not (select are_many from are_many) and anyones.organization_id = $24
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
        select sim.scanned_at as at, sim.import_sequence as cursor,
        case when filtered.is_taken then json_build_array(sim.sim_id, sim.iccid, sim.import_sequence, sim.label, sim.is_esim,
          sim.lpa, sim.created_at, sim.allocation, sim.allocated_to, sim.version,
          case when sim.recycled_at is not null or sim.moved_to is not null or sim.downloaded or sim.smdp is not null or sim.location is not null or sim.last_activity_at is not null or sim.mobile_plan_applied or sim.mobile_plan_target is not null or sim.paused_at is not null or sim.service_change is not null or sim.service_active is not null or sim.moves is not null or sim.tags is not null or sim.purchase is not null
          then json_build_array(sim.recycled_at, sim.moved_to, sim.downloaded, sim.smdp, sim.location, sim.last_activity_at,
            sim.mobile_plan_applied, sim.mobile_plan_target, sim.paused_at, sim.service_change, sim.service_active, sim.moves,
            sim.tags, sim.purchase)
          end, case when coalesce(sim.imsi, sim.msisdn, sim.subscriber_id) is not null
          then json_build_array(sim.imsi, sim.msisdn, sim.subscriber_id)
          end) end as item
        from (
          select sim.*, row_number() over listed as scanned_at, lead(1) over listed is null as is_last
          from simplan.sim
          where (select counted.is_scan from counted) and (sim.organization_id = $25 AND sim.import_sequence > $26::bigint)
          window listed as (order by sim.import_sequence)
          order by sim.import_sequence
          limit 512
        ) sim
        cross join lateral (select (sim.label = $27 AND exists (
          select from jsonb_array_elements_text(sim.tags) tags (tag) where simplan.folded(tags.tag) = $28::text
          ) AND sim.is_esim = $29 AND sim.allocation in ('Provisioning',
            'InService') AND sim.created_at > $30::bigint AND (starts_with(sim.iccid, $31::text) OR starts_with(reverse(sim.iccid),
            $32::text) OR sim.msisdn = any($33::text[]) OR exists (
              select from simplan.subscription found
              where found.organization_id = $34 and found.iccid = sim.iccid
              and found.status <> 'Deleted' and found.status = 'Live' and (
                found.subscription_id = $35
                or (starts_with(simplan.folded(found.metadata), $36::text) OR array_remove(string_to_array(case
                  when octet_length(found.metadata) = char_length(found.metadata)
                  then translate(lower(left(found.metadata, 256) collate "C"), E'\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
                    ' ')
                  else translate(
                    left(found.metadata, 256) collate "C",
                    E'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ «·»–—‘’“”„…\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
                    'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя '
                  )
                  end, ' '), '') @> $37::text[])
                or exists (
                  select from simplan.attachment
                  where attachment.organization_id = $38
                  and attachment.subscription_id = found.subscription_id and attachment.confirmed
                  and (starts_with(simplan.folded(attachment.metadata), $39::text) OR array_remove(string_to_array(case
                    when octet_length(attachment.metadata) = char_length(attachment.metadata)
                    then translate(lower(left(attachment.metadata, 256) collate "C"), E'\t\n\x0b\x0c\r !"#$%&''()*+,
                      -./:;<=>?@[\\]^_\x60{|}~', ' ')
                    else translate(
                      left(attachment.metadata, 256) collate "C",
                      E'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ «·»–—‘’“”„…\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
                      'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя '
                    )
                    end, ' '), '') @> $40::text[])
                  offset 0
                )
              )
              offset 0
          ))) as is_taken) filtered
        where filtered.is_taken or sim.is_last or sim.scanned_at = 512
        order by sim.import_sequence
        limit $41::int) union all (
          select row_number() over (order by sim.import_sequence) as at, sim.import_sequence as cursor,
          json_build_array(sim.sim_id, sim.iccid, sim.import_sequence, sim.label, sim.is_esim, sim.lpa, sim.created_at,
            sim.allocation, sim.allocated_to, sim.version,
            case when sim.recycled_at is not null or sim.moved_to is not null or sim.downloaded or sim.smdp is not null or sim.location is not null or sim.last_activity_at is not null or sim.mobile_plan_applied or sim.mobile_plan_target is not null or sim.paused_at is not null or sim.service_change is not null or sim.service_active is not null or sim.moves is not null or sim.tags is not null or sim.purchase is not null
            then json_build_array(sim.recycled_at, sim.moved_to, sim.downloaded, sim.smdp, sim.location, sim.last_activity_at,
              sim.mobile_plan_applied, sim.mobile_plan_target, sim.paused_at, sim.service_change, sim.service_active, sim.moves,
              sim.tags, sim.purchase)
            end, case when coalesce(sim.imsi, sim.msisdn, sim.subscriber_id) is not null
            then json_build_array(sim.imsi, sim.msisdn, sim.subscriber_id)
            end) as item
          from (
            select sim.*
            from (
              select * from simplan.sim
              where sim.organization_id = $42
              and sim.iccid = any(array(select candidate.iccid from candidate where not (select counted.is_scan from counted)))
              offset 0
            ) sim
            where (sim.organization_id = $43 AND sim.import_sequence > $44::bigint)
            order by sim.import_sequence
            offset 0
          ) sim
          where (sim.label = $45 AND exists (
            select from jsonb_array_elements_text(sim.tags) tags (tag) where simplan.folded(tags.tag) = $46::text
            ) AND sim.is_esim = $47 AND sim.allocation in ('Provisioning',
              'InService') AND sim.created_at > $48::bigint AND (starts_with(sim.iccid, $49::text) OR starts_with(reverse(sim.iccid),
              $50::text) OR sim.msisdn = any($51::text[]) OR exists (
                select from simplan.subscription found
                where found.organization_id = $52 and found.iccid = sim.iccid
                and found.status <> 'Deleted' and found.status = 'Live' and (
                  found.subscription_id = $53
                  or (starts_with(simplan.folded(found.metadata), $54::text) OR array_remove(string_to_array(case
                    when octet_length(found.metadata) = char_length(found.metadata)
                    then translate(lower(left(found.metadata, 256) collate "C"), E'\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
                      ' ')
                    else translate(
                      left(found.metadata, 256) collate "C",
                      E'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ «·»–—‘’“”„…\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
                      'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя '
                    )
                    end, ' '), '') @> $55::text[])
                  or exists (
                    select from simplan.attachment
                    where attachment.organization_id = $56
                    and attachment.subscription_id = found.subscription_id and attachment.confirmed
                    and (starts_with(simplan.folded(attachment.metadata), $57::text) OR array_remove(string_to_array(case
                      when octet_length(attachment.metadata) = char_length(attachment.metadata)
                      then translate(lower(left(attachment.metadata, 256) collate "C"), E'\t\n\x0b\x0c\r !"#$%&''()*+,
                        -./:;<=>?@[\\]^_\x60{|}~', ' ')
                      else translate(
                        left(attachment.metadata, 256) collate "C",
                        E'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ «·»–—‘’“”„…\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~',
                        'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя '
                      )
                      end, ' '), '') @> $58::text[])
                    offset 0
                  )
                )
                offset 0
          )))
          order by sim.import_sequence
          limit $59::int)) found
    ),
    '[]'
  )
)::text as value
from counted;
