/**
 * The audit entries (rule W11), partitioned by the UTC month in which they were made, so that old ones are dropped and not
 * deleted.
 *
 * Nothing is moved: the table of before becomes the partition of all that is older than a bound. That takes three migrations,
 * of which no one holds up others for longer than a moment: a check that promises the bound, the reading of all rows for it, and
 * the change. What the version before sends goes on as it is, since the name is that of the new table.
 */

/**
 * The bound is the first instant of a month, two months or more after the newest entry and the clock: until then, nobody is held to
 * anything new. Whatever business time entries are of, the newest is found by the key.
 */
export const bounded: ReadonlyArray<string> = [
  `do $$
    declare
      newest bigint;
      bound bigint;
    begin
      with recursive owner as (
        (select organization_id from simplan.audit_entry order by organization_id limit 1)
        union all
        select (
          select audit_entry.organization_id from simplan.audit_entry
          where audit_entry.organization_id > owner.organization_id
          order by audit_entry.organization_id
          limit 1
        )
        from owner
        where owner.organization_id is not null
      )
      select max(entry.created_at) into newest
      from owner
      cross join lateral (
        select audit_entry.created_at from simplan.audit_entry
        where audit_entry.organization_id = owner.organization_id
        order by audit_entry.organization_id desc, audit_entry.created_at desc, audit_entry.entry_id desc
        limit 1
      ) entry;
      newest := greatest(newest, (extract(epoch from now()) * 1000)::bigint, (select max(instant) from simplan.clock));
      bound := (
        (date_trunc('month', to_timestamp(newest / 1000) at time zone 'UTC') + interval '3 months')::date - date '1970-01-01'
      )::bigint * 86400000;
      execute format(
        'alter table simplan.audit_entry add constraint audit_entry_bound check (created_at < %s) not valid', bound
      );
    end
  $$`
]

export const validated: ReadonlyArray<string> = [
  `alter table simplan.audit_entry validate constraint audit_entry_bound`
]

export const partitioned: ReadonlyArray<string> = [
  // Who may use the table may use the new one. A table without rows is not kept.
  `do $$
    declare
      former oid := 'simplan.audit_entry'::regclass;
      bound bigint;
      part text;
      owner name;
      granted record;
    begin
      select substring(pg_get_constraintdef(oid) from '[0-9]{5,}')::bigint into bound
      from pg_constraint where conrelid = former and conname = 'audit_entry_bound';
      part := 'audit_entry' || to_char(to_timestamp(bound / 1000) at time zone 'UTC' - interval '1 day', '_YYYY_MM');
      alter table simplan.audit_entry rename to audit_entry_former;
      alter index simplan.audit_entry_pkey rename to audit_entry_former_pkey;
      create table simplan.audit_entry (
        like simplan.audit_entry_former including defaults, primary key (organization_id, created_at, entry_id)
      ) partition by range (created_at);
      for granted in
        select case when acl.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(acl.grantee)) end as grantee,
          acl.privilege_type, case when acl.is_grantable then ' with grant option' else '' end as option
        from pg_class
        cross join lateral aclexplode(pg_class.relacl) acl
        where pg_class.oid = former
      loop
        execute format(
          'grant %s on simplan.audit_entry to %s%s', granted.privilege_type, granted.grantee, granted.option
        );
      end loop;
      select pg_get_userbyid(relowner) into owner from pg_class where pg_class.oid = former;
      if owner <> current_user then
        execute format('alter table simplan.audit_entry owner to %I', owner);
      end if;
      create table simplan.audit_entry_default partition of simplan.audit_entry default;
      if not exists (select from simplan.audit_entry_former) then
        drop table simplan.audit_entry_former;
      else
        execute format(
          'alter table simplan.audit_entry attach partition simplan.audit_entry_former for values from (minvalue) to (%s)',
          bound
        );
        alter table simplan.audit_entry_former drop constraint audit_entry_bound;
        execute format('alter table simplan.audit_entry_former rename to %I', part);
      end if;
    end
  $$`,
  // What is left in the table of before goes by its age, as it always did, until that goes as a whole.
  `create function simplan.keep_audit_entries(kept_from bigint, at bigint)
    returns text language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '70ms' as $$
    declare
      former regclass;
      bound bigint;
      amount bigint;
    begin
      select pg_class.oid, substring(pg_get_expr(pg_class.relpartbound, pg_class.oid) from 'TO [(]''([0-9]+)')::bigint
      into former, bound
      from pg_inherits
      join pg_class on pg_class.oid = pg_inherits.inhrelid
      where pg_inherits.inhparent = 'simplan.audit_entry'::regclass
        and pg_get_expr(pg_class.relpartbound, pg_class.oid) like '%(MINVALUE)%';
      if simplan.keep_partition(
        'simplan.audit_entry', 'month', 'created_at', 100, kept_from, greatest(at, bound + 2678400000)
      ) then
        return 'more';
      end if;
      if bound > kept_from then
        execute format(
          'delete from %1$s where ctid = any(array(
            select entry.ctid
            from (select organization_id from simplan.organization union all select %2$L) owner
            cross join lateral (
              select ctid from %1$s former
              where former.organization_id = owner.organization_id and former.created_at < %3$s
              order by former.organization_id, former.created_at, former.entry_id
              limit 1000
            ) entry
            limit 1000
          ))',
          former, '*', kept_from
        );
        get diagnostics amount = row_count;
        if amount = 1000 then return 'more'; end if;
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
      while simplan.keep_audit_entries(-62167219200000, at) = 'more' loop
      end loop;
    end
  $$`
]
