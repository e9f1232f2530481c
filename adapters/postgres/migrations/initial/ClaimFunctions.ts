/**
 * What goes over a queue by its partitions: lists those with due work, and finds the first rows of
 * several (rule W13).
 *
 * A queue is empty most of the time, so PostgreSQL believes that of one that has just been filled,
 * until its statistics are gathered anew. If all plans seem to cost nothing, it reads all that is
 * due for each partition: 0.1 s of 100,000 rows, times the partitions. So these functions leave it
 * no other way than the index that the partition leads. A claim by shares searches once for each
 * share, and is planned once: to plan each search anew takes five times as long as the search.
 */
import { type Change, Step } from "../Step.ts"

interface Queue {
  readonly table: string
  readonly partition: string
  readonly dueAt: string
  readonly id: string
  readonly waits: string
}

const settings = "set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off"

const free = "(lease_until is null or lease_until <= machine_at)"

export const ofQueue = ({ dueAt, id, partition, table, waits }: Queue): ReadonlyArray<Change> => [
  Step.Function({
    name: `${table}_partitions`,
    definition: `(due_by bigint, machine_at bigint, after_id text, most integer)
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
  $$`
  }),
  Step.Function({
    name: `${table}_places`,
    definition: `(shares json, due_by bigint, machine_at bigint)
    returns table (part oid, place tid) language plpgsql ${settings} set plan_cache_mode = force_generic_plan as $$
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
  })
]
