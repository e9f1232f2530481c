/**
 * A try whether the database takes a write (`Storage.probe`).
 *
 * To change one row needs no room on the disk: its page is there, and so is the file of the log. So the function first
 * writes a temporary file of 8 kB pages beside the tables, which a full disk refuses. It does that by its setting of
 * `work_mem`, which the 4,000 rows do not fit into.
 */

/** The statements, in their order, for the schema `simplan`. */
export const statements: ReadonlyArray<string> = [
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
]
