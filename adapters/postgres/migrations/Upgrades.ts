/**
 * The migrations after the first one, each named by its number. What they have is published: a schema that has had one is
 * told by the digest of its statements, so none of them changes any more. A new one comes at the end.
 */
import * as takenReports from "./0024_taken_reports.ts"
import * as auditMonths from "./0027_audit_months.ts"
import * as deliveryCounts from "./0035_delivery_counts.ts"

interface Queue {
  readonly table: string
  readonly partition: string
  readonly dueAt: string
  readonly id: string
  readonly waits: string
}

const settings = "set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off"

const free = "(lease_until is null or lease_until <= machine_at)"

const functions = ({ dueAt, id, partition, table, waits }: Queue): ReadonlyArray<string> => [
  `create function simplan.${table}_partitions(due_by bigint, machine_at bigint, after_id text, most integer)
    returns json language plpgsql ${settings} as $$
    declare
      one record;
      listed json[] := '{}';
      looked integer := 0;
      last text collate "C" := after_id;
    begin
      while looked < most loop
        select ${partition} as partition_id, organization_id, ${dueAt} as due_at, ${id} as id into one
        from simplan.${table}
        where ${waits} and ${partition} > last and ${free}
        order by ${partition}, ${dueAt}, ${id}
        limit 1;
        exit when not found;
        looked := looked + 1;
        last := one.partition_id;
        if one.due_at <= due_by then
          listed := listed || json_build_object(
            'partitionId', one.partition_id, 'organizationId', one.organization_id,
            'first', json_build_object('dueAt', one.due_at, 'id', one.id)
          );
        end if;
      end loop;
      return json_build_object(
        'partitions', array_to_json(listed), 'next', case when looked = most and looked > 0 then last end
      );
    end
  $$`,
  `create function simplan.${table}_places(shares json, due_by bigint, machine_at bigint)
    returns table (part oid, place tid) language plpgsql ${settings} as $$
    declare
      share record;
    begin
      for share in
        select r.partition_id collate "C" as partition_id, r.due_at, r.id collate "C" as id, r.most
        from json_to_recordset(shares) as r(partition_id text, due_at bigint, id text, most integer)
      loop
        return query
          select ${table}.tableoid, ${table}.ctid
          from simplan.${table}
          where ${waits} and (${partition}, ${dueAt}, ${id}) >= (share.partition_id, share.due_at, share.id)
            and ${partition} <= share.partition_id and ${dueAt} <= due_by and ${free}
          order by ${partition}, ${dueAt}, ${id}
          limit share.most
          for update skip locked;
      end loop;
    end
  $$`
]

/** The statements of each one, in their order, for the schema `simplan`. */
export const upgrades: Readonly<Record<string, ReadonlyArray<string>>> = {
  // The identities of SIMs (rule I7), which imports bring. Nothing is found by them, so they have no index.
  "0002_sim_identities": [
    `alter table simplan.sim add column imsi text, add column msisdn text, add column subscriber_id text`
  ],
  // Room in the indexes of deliveries. Every delivery is settled once: its row then moves, and gets a second entry in each
  // of these indexes, beside the first one. Pages that are full by then are searched for dead entries, or split.
  //
  // New pages have the room, older ones after a `reindex`. Tables that an operator has made anew, as partitioned ones, have
  // indexes of other names.
  "0003_delivery_indexes": ["delivery_pkey", "delivery_listed", "delivery_listed_by_endpoint"].map(
    (index) => `alter index if exists simplan.${index} set (fillfactor = 50)`
  ),
  // The lists of commands (rule H1): all of an organization's, those that are pending, and those of one outcome.
  "0004_command_lists": [
    `create index command_listed on simplan.command (organization_id, created_at, command_id)`,
    `create index command_pending on simplan.command (organization_id, created_at, command_id)
    where settled_at is null`,
    `create index command_listed_by_outcome
    on simplan.command (organization_id, (outcome->>'_tag'), created_at, command_id)`
  ],
  // A try whether the database takes a write (`Storage.probe`).
  //
  // To change one row needs no room on the disk: its page is there, and so is the file of the log. So the function first
  // writes a temporary file of 8 kB pages beside the tables, which a full disk refuses. It does that by its setting of
  // `work_mem`, which the 4,000 rows do not fit into.
  "0005_write_probe": [
    `create table simplan.write_probe (
    singleton boolean primary key default true check (singleton),
    at bigint not null
  )`,
    `create function simplan.probe_write(instant bigint) returns boolean language plpgsql
    set work_mem = '64kB' set temp_tablespaces = '' as $$
    begin
      perform count(*) from generate_series(1, 4000);
      insert into simplan.write_probe (at) values (instant) on conflict (singleton) do update set at = excluded.at;
      return true;
    end
  $$`
  ],
  // Finds the SIMs that are on their way back to stock (rule S5).
  //
  // The column is null for any other SIM. It is not `allocation` that the index goes by, since a SIM that goes into service
  // changes that twice, and would change each of its indexes with it.
  "0006_releasing_sims": [
    `alter table simplan.sim add column releasing boolean`,
    `update simplan.sim set releasing = true where allocation = 'Releasing'`,
    `create index sim_releasing on simplan.sim (organization_id, label) where releasing`
  ],
  // Why jobs wait for their next try (`Job.Waiting`), which operators list. Few jobs wait while the telco answers, so the
  // index is small.
  "0007_waiting_jobs": [
    `alter table simplan.job add column waiting jsonb`,
    `create index job_waiting on simplan.job (created_at, job_id) where waiting is not null and ended_at is null`
  ],
  // The list of the events that were given up for a handler (rule E2).
  "0008_failed_events": [
    `create index delivery_failed_of_handler on simplan.delivery (handler, created_at, delivery_id)
    where status = 'Failed' and handler is not null`
  ],
  // The endpoints that fail, which are counted for operators, by since when they fail.
  //
  // A success did not end that before, as the log of attempts had it. So what the log has succeeded since is made up for, once.
  "0009_failing_endpoints": [
    `update simplan.webhook_endpoint set failing_since = null
    where failing_since is not null and disabled_at is null and exists (
      select from simplan.delivery
      where delivery.organization_id = webhook_endpoint.organization_id
        and delivery.endpoint_id = webhook_endpoint.endpoint_id and delivery.handler is null
        and delivery.status = 'Delivered' and delivery.last_attempt_at > webhook_endpoint.failing_since
    )`,
    `create index webhook_endpoint_failing on simplan.webhook_endpoint (failing_since)
    where failing_since is not null and disabled_at is null and deleted_at is null`
  ],
  // What goes over a queue by its partitions: lists those with due work, and finds the first rows of several (rule W13).
  //
  // A queue is empty most of the time, so PostgreSQL believes that of one that has just been filled, until its statistics are
  // gathered anew. Where all plans seem to cost nothing it read all that was due for each partition: 0.1 s of 100,000 rows,
  // times the partitions. So these functions leave it no other way than the index that the partition leads.
  "0010_fair_claims": [
    ...functions({
      table: "job",
      partition: "job.organization_id",
      dueAt: "job.due_at",
      id: "job.job_id",
      waits: "job.ended_at is null"
    }),
    ...functions({
      table: "delivery",
      partition: "delivery.endpoint_id",
      dueAt: "delivery.next_attempt_at",
      id: "delivery.delivery_id",
      waits: "delivery.status = 'Pending' and delivery.handler is null"
    })
  ],
  // Finds the creations of an organization that are not decided, whose SIMs may come back to stock (rule S5).
  //
  // It is not the SIM that has an index, since one that goes into service would change each of its indexes with it. A
  // creation's job is written and removed all the same.
  "0011_provisioning_jobs": [
    `create index job_provisioning on simplan.job (organization_id)
    where ended_at is null and work->>'_tag' = 'Provision'`
  ],
  // Indexes that take the place of others, for lists that read more than they answered (rule W13): SIMs of a label and a kind,
  // and the deliveries of a SIM, newest first. An index beside the others would be one more to write with each change.
  "0012_lists_by_two_columns": [
    `create index sim_listed_by_label_and_kind on simplan.sim (organization_id, label, is_esim, import_sequence)`,
    `drop index if exists simplan.sim_listed_by_label`,
    `create index event_of_sim_by_time on simplan.event (
    organization_id, coalesce(payload->'data'->>'sim', payload->'data'->>'esim'), created_at
  )`,
    `drop index if exists simplan.event_of_sim`
  ],
  // The book of usage (rule U1), and what organizations used in sums of several parts. Both are partitioned by month.
  //
  // What was used before there was a book has a day of its own, which readers get as none. A day of a month that has no
  // partition is in the default one, until `keep_usage_months` makes the month.
  "0013_usage_book": [
    `create table simplan.usage_entry (
    organization_id text collate "C" not null,
    iccid text collate "C" not null,
    attachment_id text collate "C" not null,
    day bigint not null,
    country text collate "C" not null,
    bytes bigint not null,
    primary key (organization_id, iccid, attachment_id, day, country)
  ) partition by range (day)`,
    `create table simplan.usage_entry_before partition of simplan.usage_entry
    for values from (minvalue) to (-62167219200000)`,
    `create table simplan.usage_entry_default partition of simplan.usage_entry default`,
    `create table simplan.usage_total (
    organization_id text collate "C" not null,
    day bigint not null,
    country text collate "C" not null,
    plan_id text collate "C" not null,
    label text collate "C" not null,
    shard integer not null,
    bytes bigint not null,
    primary key (organization_id, day, country, plan_id, label, shard)
  ) partition by range (day)`,
    `create table simplan.usage_total_default partition of simplan.usage_total default`,
    // Its owner's rights are enough: the service's own role need not make tables. It does not wait for long transactions.
    `create function simplan.keep_usage_months(kept_from bigint, at bigint)
    returns void language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
    declare
      book record;
      part text;
      rest text;
      first date;
      starts bigint;
      ends bigint;
    begin
      for book in
        select pg_class.oid, pg_class.relname as name, pg_namespace.nspname as space
        from pg_type
        join pg_class on pg_class.oid = pg_type.typrelid
        join pg_namespace on pg_namespace.oid = pg_class.relnamespace
        where pg_type.oid in (pg_typeof(null::simplan.usage_entry), pg_typeof(null::simplan.usage_total))
        order by pg_class.relname
      loop
        rest := book.name || '_default';
        execute format('lock table %I.%I in share update exclusive mode', book.space, book.name);
        for part in
          select pg_class.relname
          from pg_inherits
          join pg_class on pg_class.oid = pg_inherits.inhrelid
          where pg_inherits.inhparent = book.oid and pg_class.relname ~ '_[0-9]{4}_[0-9]{2}$'
        loop
          first := to_date(right(part, 7), 'YYYY_MM');
          ends := ((first + interval '1 month')::date - date '1970-01-01')::bigint * 86400000;
          if ends <= kept_from then
            execute format('drop table %I.%I', book.space, part);
          end if;
        end loop;
        execute format('delete from %I.%I where day < %s', book.space, rest, kept_from);
        for first in execute format(
          'select (date_trunc(''month'', to_timestamp(%s / 1000) at time zone ''UTC'') + make_interval(months => ahead))::date
            from generate_series(-1, 2) ahead
          union
          select date_trunc(''month'', to_timestamp(day / 1000) at time zone ''UTC'')::date from %I.%I',
          at, book.space, rest
        ) loop
          part := book.name || to_char(first, '_YYYY_MM');
          starts := (first - date '1970-01-01')::bigint * 86400000;
          ends := ((first + interval '1 month')::date - date '1970-01-01')::bigint * 86400000;
          continue when ends <= kept_from or to_regclass(format('%I.%I', book.space, part)) is not null;
          execute format('lock table %I.%I in access exclusive mode', book.space, rest);
          execute format(
            'create table %1$I.%2$I (like %1$I.%3$I including defaults) with (fillfactor = 70)', book.space, part, book.name
          );
          execute format(
            'with moved as (delete from %1$I.%2$I where day >= %3$s and day < %4$s returning *)
            insert into %1$I.%5$I select * from moved',
            book.space, rest, starts, ends, part
          );
          execute format(
            'alter table %1$I.%2$I attach partition %1$I.%3$I for values from (%4$s) to (%5$s)',
            book.space, book.name, part, starts, ends
          );
        end loop;
      end loop;
    end
  $$`,
    `select simplan.keep_usage_months(
    (extract(epoch from now()) * 1000)::bigint - 34560000000, (extract(epoch from now()) * 1000)::bigint
  )`,
    `insert into simplan.usage_entry (organization_id, iccid, attachment_id, day, country, bytes)
    select organization_id, iccid, attachment_id, -8640000000000000, '', least(sum(used_bytes), 9007199254740991)
    from simplan.package
    where used_bytes > 0
    group by organization_id, iccid, attachment_id`
  ],
  // Finds SIMs and subscriptions (rule L1). The last digits of an ICCID are found in the table of ICCIDs, whose rows never
  // change: a SIM that goes into service would change its entries in an index of its own table.
  //
  // The function is `SimSearch.folded`. The locales of servers do not agree on the case of letters, so it names them.
  "0014_search": [
    `create function simplan.folded(metadata text) returns text language sql immutable strict parallel safe as $$
      select pg_catalog.translate(
        pg_catalog.left(metadata, 64),
        'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ',
        'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя'
      )
    $$`,
    `create index iccid_reversed on simplan.iccid (organization_id, reverse(iccid))`,
    `create index sim_of_imsi on simplan.sim (organization_id, imsi) where imsi is not null`,
    `create index sim_of_msisdn on simplan.sim (organization_id, msisdn) where msisdn is not null`,
    `create index subscription_by_metadata
    on simplan.subscription (organization_id, (simplan.folded(metadata) collate "C"))
    where status = 'Live' and metadata <> ''`,
    `create index attachment_by_metadata
    on simplan.attachment (organization_id, (simplan.folded(metadata) collate "C")) where metadata <> ''`
  ],
  // What the telco said where it refused a package (rule L2).
  "0015_refusals_of_packages": [`alter table simplan.package add column refusal text`],
  // Whether a SIM has service, and the change of it that is under way (rule S7).
  "0016_paused_sims": [
    `alter table simplan.sim
    add column paused_at bigint, add column service_change text, add column service_active boolean`
  ],
  // The levels below which an organization is notified that eSIMs of a label run out (rule I12).
  "0017_stock_levels": [
    `create table simplan.stock_level (
    organization_id text collate "C" not null,
    label text collate "C" not null,
    level bigint not null,
    is_low boolean not null,
    version bigint not null,
    primary key (organization_id, label)
  )`
  ],
  // How often an attachment has moved with its subscription to another SIM, and what of a package is ordered there (rule S8).
  "0018_replacements": [
    `alter table simplan.attachment add column replacements integer not null default 0`,
    `alter table simplan.package add column replacement jsonb`
  ],
  // Who the management API takes requests from (rule W14). They belong to the service, and see one organization or all.
  "0019_operators": [
    `create table simplan.operator (
    operator_id text collate "C" not null primary key,
    name text collate "C" not null,
    role text not null,
    organization_id text collate "C",
    hash text collate "C" not null,
    hint text not null,
    previous_hash text collate "C",
    previous_until bigint,
    created_at bigint not null,
    expires_at bigint,
    deleted_at bigint,
    version bigint not null,
    constraint operator_hash unique (hash)
  )`,
    `create unique index operator_name on simplan.operator (name) where deleted_at is null`,
    `create index operator_of_previous_hash on simplan.operator (previous_hash) where previous_hash is not null`,
    `create index operator_listed on simplan.operator (created_at, operator_id)`
  ],
  // A claim by shares asks once for each share. PostgreSQL planned each of these anew, which took five times as long as the
  // search itself.
  "0020_planned_claims": [
    `alter function simplan.job_places(json, bigint, bigint) set plan_cache_mode = force_generic_plan`,
    `alter function simplan.delivery_places(json, bigint, bigint) set plan_cache_mode = force_generic_plan`
  ],
  // Finds SIMs in all organizations at once (rule L4). Identities and organizations change places in their indexes, which find one
  // organization's as before; the others are found by indexes beside those of 0014.
  "0021_search_of_all": [
    `create index iccid_by_ending on simplan.iccid (reverse(iccid))`,
    `create index sim_by_imsi on simplan.sim (imsi, organization_id) where imsi is not null`,
    `drop index simplan.sim_of_imsi`,
    `create index sim_by_msisdn on simplan.sim (msisdn, organization_id) where msisdn is not null`,
    `drop index simplan.sim_of_msisdn`,
    `create index subscription_by_id on simplan.subscription (subscription_id) where status = 'Live'`,
    `create index subscription_of_metadata on simplan.subscription ((simplan.folded(metadata) collate "C"))
    where status = 'Live' and metadata <> ''`,
    `create index attachment_of_metadata on simplan.attachment ((simplan.folded(metadata) collate "C"))
    where metadata <> ''`
  ],
  // Why an operator changed something (rule W11).
  "0022_reasons": [`alter table simplan.audit_entry add column reason text`],
  // Folding takes a tenth of the time where a metadata is of ASCII alone, which the letters of C are. What it gives is as before,
  // so the indexes stay. Sessions take the new text for the indexes too, once these have changed.
  "0023_fast_folding": [
    `create or replace function simplan.folded(metadata text) returns text language sql immutable parallel safe as $$
      select case when pg_catalog.octet_length(metadata) = pg_catalog.char_length(metadata)
        then pg_catalog.lower(pg_catalog."left"(metadata, 64) collate pg_catalog."C")
        else pg_catalog.translate(
          pg_catalog.left(metadata, 64),
          'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ',
          'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя'
        )
      end
    $$`,
    ...["subscription_by", "attachment_by", "subscription_of", "attachment_of"].map(
      (index) => `alter index simplan.${index}_metadata reset (fillfactor)`
    )
  ],
  "0024_taken_reports": takenReports.statements,
  // Secrets of keys that go on for a while, and when keys were last used (rule W3). Uses have a table of their own, so that they wait
  // for no commit, and change nothing of a key.
  "0025_uses_of_keys": [
    `alter table simplan.api_key add column previous_hash text collate "C", add column previous_until bigint`,
    `create index api_key_of_previous_hash on simplan.api_key (previous_hash) where previous_hash is not null`,
    `create table simplan.api_key_use (
    organization_id text collate "C" not null,
    api_key_id text collate "C" not null,
    at bigint not null,
    primary key (organization_id, api_key_id)
  ) with (fillfactor = 70)`
  ],
  // What the processes that share the database say of themselves.
  "0026_processes": [
    `create table simplan.process (
    process_id text collate "C" not null primary key,
    version text,
    host text,
    runs text[] not null,
    started_at bigint not null,
    beat_at bigint not null,
    held_jobs integer not null,
    held_deliveries integer not null,
    rates json not null
  ) with (fillfactor = 70)`
  ],
  // Audit entries by months (rule W12). Each holds what it locks until it ends, so they are three.
  "0027_audit_bound": auditMonths.bounded,
  "0028_audit_bound_validated": auditMonths.validated,
  "0029_audit_months": auditMonths.partitioned,
  // Finds the work of a SIM that waits for its next try or is a problem (rule L3). Work that is done at once never gets there.
  "0030_jobs_of_sims": [
    `create index job_of_sim on simplan.job (organization_id, (work->>'iccid'))
    where waiting is not null or ended_at is not null`
  ],
  // Finds the subscriptions that are paused (rule L1).
  "0031_paused_subscriptions": [
    `create index sim_paused on simplan.sim (organization_id, iccid) where paused_at is not null`
  ],
  // Partitions are made while no statement uses their table.
  "0032_partitions_made_alone": takenReports.lockedWhole,
  // Where a subscription has moved to, so that what its old SIM still reports counts (rule S8).
  "0033_moves": [`alter table simplan.sim add column moved_to text collate "C"`],
  // The sessions of operators' browsers, and what their cookies are sealed with (rule W14).
  "0034_sessions": [
    `create table simplan.session (
    session_id text collate "C" not null primary key,
    ends_at bigint not null,
    ended_at bigint,
    renewals integer not null,
    renewed_at bigint,
    cookie text,
    asked_at bigint,
    version bigint not null
  )`,
    `create index session_of_end on simplan.session (ends_at)`,
    `create table simplan.session_key (
    singleton boolean primary key default true check (singleton),
    value text not null
  )`
  ],
  "0035_delivery_counts": deliveryCounts.statements
}
