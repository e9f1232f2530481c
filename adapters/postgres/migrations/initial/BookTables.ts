/**
 * Books that are partitioned by time: usage (rule U1), the ids of reports that were taken
 * (rule R1), and audit entries (rule W11). Old partitions are dropped as a whole. What keeps the
 * partitions is a function that does one step in a transaction, which waits for a lock so shortly
 * that it holds up others for 0.1 s at most.
 */
import { type Change, Step } from "../Step.ts"

/** How rows of the default partition are removed and moved. */
interface Moving {
  readonly removed: string
  readonly moved: string
  /** What a row that is counted is read as. */
  readonly listed: string
}

const whole: Moving = {
  removed: `execute format(
      'delete from %1$I.%2$I where ctid = any(array(select ctid from %1$I.%2$I where %3$I < %4$s limit 10000))',
      space, rest, dated, kept_from
    );
    get diagnostics amount = row_count;
    if amount = 10000 then return true; end if;
`,
  moved: `execute format(
        'with moved as (delete from %1$I.%2$I where %6$I >= %3$s and %6$I < %4$s returning *)
        insert into %1$I.%5$I select * from moved',
        space, rest, starts, ends, part, dated
      );
`,
  listed: ""
}

const keeping = ({ listed, moved, removed }: Moving): string => `(
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
${removed}    for first in execute format(
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
        'select count(*) from (select${listed} from %1$I.%2$I where %3$I >= %4$s and %3$I < %5$s limit 5001) counted',
        space, rest, dated, starts, ends
      ) into amount;
      continue when amount > 5000;
      execute format(
        'create table %1$I.%2$I (like %1$I.%3$I including defaults) with (fillfactor = %4$s)', space, part, name, filled
      );
      execute format('lock table only %I.%I in access exclusive mode', space, name);
      perform set_config('lock_timeout', '10ms', true);
      execute format('lock table %I.%I in access exclusive mode', space, rest);
${moved}      execute format(
        'alter table %1$I.%2$I attach partition %1$I.%3$I for values from (%4$s) to (%5$s)', space, name, part, starts, ends
      );
      return true;
    end loop;
    return false;
  end
$$`

/**
 * The function where the tables are distributed: a row has no place by which it is found, and what
 * one statement removes no other one writes.
 */
export const keepingDistributed = keeping({
  removed: `execute format('delete from %1$I.%2$I where %3$I < %4$s', space, rest, dated, kept_from);
    `,
  moved: `execute format(
        'insert into %1$I.%5$I select * from %1$I.%2$I where %6$I >= %3$s and %6$I < %4$s',
        space, rest, starts, ends, part, dated
      );
      execute format(
        'delete from %1$I.%2$I where %5$I >= %3$s and %5$I < %4$s', space, rest, starts, ends, dated
      );
      `,
  listed: " true"
})

export const steps: ReadonlyArray<Change> = [
  // A day of a month that has no partition is in the default one, until the month is made. What was
  // used before there was a book has a day of its own, which readers get as none.
  Step.Table({
    name: "usage_entry",
    columns: {
      organization_id: `text collate "C" not null`,
      iccid: `text collate "C" not null`,
      attachment_id: `text collate "C" not null`,
      day: "bigint not null",
      country: `text collate "C" not null`,
      bytes: "bigint not null"
    },
    key: "(organization_id, iccid, attachment_id, day, country)",
    partitionBy: "range (day)",
    partitions: {
      usage_entry_before: "for values from (minvalue) to (-62167219200000)",
      usage_entry_default: "default"
    }
  }),

  // What organizations used, in sums of several parts.
  Step.Table({
    name: "usage_total",
    columns: {
      organization_id: `text collate "C" not null`,
      day: "bigint not null",
      country: `text collate "C" not null`,
      plan_id: `text collate "C" not null`,
      label: `text collate "C" not null`,
      shard: "integer not null",
      bytes: "bigint not null"
    },
    key: "(organization_id, day, country, plan_id, label, shard)",
    partitionBy: "range (day)",
    partitions: { usage_total_default: "default" }
  }),

  Step.Table({
    name: "taken_report",
    columns: {
      organization_id: `text collate "C" not null`,
      report_id: `text collate "C" not null`,
      received_at: "bigint not null"
    },
    key: "(organization_id, report_id, received_at)",
    partitionBy: "range (received_at)",
    partitions: { taken_report_default: "default" }
  }),

  Step.Table({
    name: "audit_entry",
    columns: {
      organization_id: `text collate "C" not null`,
      created_at: "bigint not null",
      entry_id: `text collate "C" not null`,
      actor: `text collate "C" not null`,
      action: `text collate "C" not null`,
      resource_id: `text collate "C" not null`,
      iccid: `text collate "C"`,
      address: "text",
      request_id: "text",
      reason: "text"
    },
    key: "(organization_id, created_at, entry_id)",
    partitionBy: "range (created_at)",
    partitions: { audit_entry_default: "default" }
  }),

  // The next step, and whether there was one. Rows of a period that has no partition are in the
  // default one; they are moved with the partition that is made for them, unless they are so many
  // that it would take long. Then they stay.
  //
  // A partition is made while nothing uses the table, not its default partition alone. A statement
  // plans by the partitions that it finds before it waits for the default one: then an insert would
  // be refused, as its row is no longer one of the default partition, and a read would miss the
  // rows that were moved. So each waits before it plans.
  Step.Function({
    name: "keep_partition",
    definition: keeping(whole)
  }),

  // Its owner's rights are enough: the service's own role need not make tables.
  Step.Function({
    name: "keep_partitions",
    definition: `(kept text, kept_from bigint, at bigint)
    returns text language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '70ms' as $$
    begin
      if (case kept
        when 'usage' then simplan.keep_partition('simplan.usage_entry', 'month', 'day', 70, kept_from, at)
          or simplan.keep_partition('simplan.usage_total', 'month', 'day', 70, kept_from, at)
        when 'reports' then simplan.keep_partition('simplan.taken_report', 'day', 'received_at', 100, kept_from, at)
        when 'audit entries' then simplan.keep_partition('simplan.audit_entry', 'month', 'created_at', 100, kept_from, at)
      end) then
        return 'more';
      end if;
      return 'done';
    exception when lock_not_available then
      return 'busy';
    end
  $$`
  }),
  Step.Statement({
    does: "creates partitions",
    tables: [],
    blocks: "nothing",
    work: "none",
    text: `do $$
    declare
      at bigint := (extract(epoch from now()) * 1000)::bigint;
      kept text;
    begin
      foreach kept in array array['usage', 'reports', 'audit entries'] loop
        while simplan.keep_partitions(kept, -62167219200000, at) = 'more' loop
        end loop;
      end loop;
    end
  $$`
  })
]
