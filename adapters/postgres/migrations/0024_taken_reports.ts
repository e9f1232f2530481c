/**
 * The ids of reports that were taken (rule R1), partitioned by the UTC day on which they were. And what keeps the partitions of
 * a table, by days or by months: one step in a transaction, which waits for a lock so shortly that it holds up others for 0.1 s at
 * most.
 *
 * Nothing is moved: `seen_report` has the ids from before, and those that processes of the version before take. It is emptied as
 * a whole once all of it is past its time. What this version takes is copied there for a week, for the processes of the version
 * before. In a new schema there are none, and nothing is copied.
 */

/**
 * The next step, whether there was one. Rows of a period that has no partition are in the default one; they are moved with the
 * partition that is made for them, unless they are so many that it would take long. Then they stay.
 */
const keepPartition = (create: string, locks: string): string => `${create} function simplan.keep_partition(
  book regclass, unit text, dated text, filled integer, kept_from bigint, at bigint
) returns boolean language plpgsql as $$
  declare
    form text := case unit when 'day' then 'YYYY_MM_DD' else 'YYYY_MM' end;
    step interval := ('1 ' || unit)::interval;
    space text;
    name text;
    rest text;
    part text;
    first date;
    starts bigint;
    ends bigint;
    amount bigint;
  begin
    select pg_namespace.nspname, pg_class.relname into space, name
    from pg_class
    join pg_namespace on pg_namespace.oid = pg_class.relnamespace
    where pg_class.oid = book;
    rest := name || '_default';
    perform set_config('lock_timeout', '70ms', true);
    execute format('lock table only %I.%I in share update exclusive mode', space, name);
    for part in
      select pg_class.relname
      from pg_inherits
      join pg_class on pg_class.oid = pg_inherits.inhrelid
      where pg_inherits.inhparent = book and pg_class.relname ~ '_[0-9]{4}_[0-9]{2}(_[0-9]{2})?$'
      order by pg_class.relname
    loop
      first := to_date(right(part, length(form)), form);
      ends := ((first + step)::date - date '1970-01-01')::bigint * 86400000;
      exit when ends > kept_from;
      execute format('lock table only %I.%I in access exclusive mode', space, name);
      perform set_config('lock_timeout', '10ms', true);
      execute format('drop table %I.%I', space, part);
      return true;
    end loop;
    execute format(
      'delete from %1$I.%2$I where ctid = any(array(select ctid from %1$I.%2$I where %3$I < %4$s limit 10000))',
      space, rest, dated, kept_from
    );
    get diagnostics amount = row_count;
    if amount = 10000 then return true; end if;
    for first in execute format(
      'select (date_trunc(%1$L, to_timestamp(%2$s / 1000) at time zone ''UTC'') + ahead * %3$L::interval)::date
        from generate_series(-1, 2) ahead
      union
      select date_trunc(%1$L, to_timestamp(%4$I / 1000) at time zone ''UTC'')::date from %5$I.%6$I',
      unit, at, step, dated, space, rest
    ) loop
      part := name || to_char(first, '_' || form);
      starts := (first - date '1970-01-01')::bigint * 86400000;
      ends := ((first + step)::date - date '1970-01-01')::bigint * 86400000;
      continue when ends <= kept_from or to_regclass(format('%I.%I', space, part)) is not null;
      execute format(
        'select count(*) from (select from %1$I.%2$I where %3$I >= %4$s and %3$I < %5$s limit 5001) counted',
        space, rest, dated, starts, ends
      ) into amount;
      continue when amount > 5000;
      execute format(
        'create table %1$I.%2$I (like %1$I.%3$I including defaults) with (fillfactor = %4$s)', space, part, name, filled
      );
      ${locks}
      execute format(
        'with moved as (delete from %1$I.%2$I where %6$I >= %3$s and %6$I < %4$s returning *)
        insert into %1$I.%5$I select * from moved',
        space, rest, starts, ends, part, dated
      );
      execute format(
        'alter table %1$I.%2$I attach partition %1$I.%3$I for values from (%4$s) to (%5$s)', space, name, part, starts, ends
      );
      return true;
    end loop;
    return false;
  end
$$`

const lockOfRest = "execute format('lock table %I.%I in access exclusive mode', space, rest);"

/** The statements, in their order, for the schema `simplan`. */
export const statements: ReadonlyArray<string> = [
  `create table simplan.taken_report (
    organization_id text collate "C" not null,
    report_id text collate "C" not null,
    received_at bigint not null,
    primary key (organization_id, report_id, received_at)
  ) partition by range (received_at)`,
  `create table simplan.taken_report_default partition of simplan.taken_report default`,
  keepPartition("create", lockOfRest),
  // Its owner's rights are enough: the service's own role need not make tables.
  `create function simplan.keep_partitions(kept text, kept_from bigint, at bigint)
    returns text language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '70ms' as $$
    begin
      if kept = 'usage' then
        if simplan.keep_partition('simplan.usage_entry', 'month', 'day', 70, kept_from, at)
          or simplan.keep_partition('simplan.usage_total', 'month', 'day', 70, kept_from, at) then
          return 'more';
        end if;
      elsif kept = 'reports' then
        if simplan.keep_partition('simplan.taken_report', 'day', 'received_at', 100, kept_from, at) then
          return 'more';
        end if;
        if (select max(seen_report.received_at) from simplan.seen_report) < kept_from then
          truncate simplan.seen_report;
        end if;
        if exists (
          select from pg_trigger where tgname = 'taken_report_copied' and tgrelid = 'simplan.taken_report'::regclass
        ) and not exists (
          select from simplan.migration
          where migration.name = 'taken_reports' and migration.created_at > now() - interval '7 days'
        ) then
          drop trigger taken_report_copied on simplan.taken_report;
        end if;
      end if;
      return 'done';
    exception when lock_not_available then
      return 'busy';
    end
  $$`,
  `do $$
    declare
      at bigint := (extract(epoch from now()) * 1000)::bigint;
    begin
      while simplan.keep_partitions('reports', at - 3024300000, at) = 'more' loop
      end loop;
    end
  $$`,
  `create function simplan.copy_taken_reports() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
      insert into simplan.seen_report (organization_id, report_id, received_at)
      select taken.organization_id, taken.report_id, max(taken.received_at)
      from taken
      group by taken.organization_id, taken.report_id
      order by taken.organization_id, taken.report_id
      on conflict (organization_id, report_id) do update set
        received_at = greatest(seen_report.received_at, excluded.received_at);
      return null;
    end
  $$`,
  `do $$
    begin
      if exists (select from simplan.migration where migration.created_at < now()) then
        create trigger taken_report_copied after insert on simplan.taken_report
          referencing new table as taken for each statement execute function simplan.copy_taken_reports();
      end if;
    end
  $$`
]

/**
 * Makes a partition while nothing uses the table, not its default partition alone. A statement plans by the partitions that it finds
 * before it waits for the default one: then an insert was refused, as its row was no longer one of the default partition, and a read
 * missed the rows that were moved. So each waits before it plans.
 */
export const lockedWhole: ReadonlyArray<string> = [
  keepPartition(
    "create or replace",
    `execute format('lock table only %I.%I in access exclusive mode', space, name);
        perform set_config('lock_timeout', '10ms', true);
        ${lockOfRest}`
  )
]
