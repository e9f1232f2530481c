// Carries a database over whose schema the 35 migrations of before have made, which are one now. Run it once for each schema, after
// every process of it has been stopped, as the owner of its tables; the last build that has those migrations must have done them all:
//
//   npm run build && node examples/deploy/carry-over.mjs postgres://owner@host/database [schema]
//   npm run build && node examples/deploy/carry-over.mjs .simplan/data
//
// All of it is one transaction. What only earlier versions needed is dropped, and report ids and audit entries from before their
// tables were partitioned are moved, which takes a minute for each few millions. Then the schema is compared with one that is made
// anew beside it: if anything differs, that is printed and nothing is changed; else the list of migrations is replaced.
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Postgres from "simplan/postgres"

/** The first and the last migration of before, by their digests. */
const FORMER = { count: 35, first: "8eb2a492e6a21766", last: "ec4dd28fba8d0ce5" }

/** Where the schema is made anew; it is gone at the end. */
const ANEW = "simplan_made_anew"

/** What a schema has, as lines of a table each. Names are qualified, as the search path is empty. Partitions are left out. */
const DESCRIBED = `
  with relation as (
    select * from pg_class
    where relnamespace = (select oid from pg_namespace where nspname = $1) and not relispartition
  ), described as (
    select relname as "table", 'stored' as kind, concat_ws(' ', relpersistence, reloptions::text, relrowsecurity) as line
    from relation where relkind in ('r', 'p')
    union all
    select relname, 'column', concat_ws(
      ' ', row_number() over (partition by relation.oid order by attnum), attname, format_type(atttypid, atttypmod),
      attcollation::regcollation, case when attnotnull then 'not null' end, pg_get_expr(adbin, adrelid), attidentity,
      attgenerated, attstorage, attstattarget, attoptions
    )
    from relation
    join pg_attribute on attrelid = relation.oid and attnum > 0 and not attisdropped
    left join pg_attrdef on adrelid = relation.oid and adnum = attnum
    where relkind in ('r', 'p')
    union all
    -- Tables that an operator has partitioned have indexes of other names.
    select relname, 'index', regexp_replace(pg_get_indexdef(indexrelid), ' INDEX .* ON (ONLY )?', ' INDEX ON ')
      || case when indisvalid then '' else ' not valid' end
    from relation join pg_index on indrelid = relation.oid
    union all
    select relname, 'constraint', concat_ws(
      ' ', case when contype in ('u', 'c', 'f', 'x') then conname end, pg_get_constraintdef(pg_constraint.oid), convalidated
    )
    from relation join pg_constraint on conrelid = relation.oid
    union all
    select relname, 'trigger', tgenabled::text || ' ' || pg_get_triggerdef(pg_trigger.oid)
    from relation join pg_trigger on tgrelid = relation.oid and not tgisinternal
    union all
    select relname, 'rule', pg_get_ruledef(pg_rewrite.oid) from relation join pg_rewrite on ev_class = relation.oid
    union all
    select 'functions', 'function', regexp_replace(pg_get_functiondef(oid), '\\s+', ' ', 'g')
    from pg_proc where pronamespace = (select oid from pg_namespace where nspname = $1)
  )
  select "table", kind, replace(replace(line, '"' || $1 || '".', 'simplan.'), $1 || '.', 'simplan.') as line
  from described order by 1, 2, 3`

const PARTITIONED = `
  select relname as "table", pg_get_partkeydef(oid) as key from pg_class
  where relnamespace = (select oid from pg_namespace where nspname = $1) and relkind = 'p'`

/** What only earlier versions needed, and what they have left in other tables. */
const changes = (schema) => `
  drop trigger if exists taken_report_copied on ${schema}.taken_report;
  insert into ${schema}.taken_report (organization_id, report_id, received_at)
    select organization_id, report_id, received_at from ${schema}.seen_report
    on conflict do nothing;
  drop table ${schema}.seen_report;
  update ${schema}.job
    set work = work - 'others' || jsonb_build_object(
      'release', case when work->'release' = 'true' then coalesce(work->>'others', 'Cancel') end
    )
    where work->>'_tag' = 'CancelPackages';
  drop function ${schema}.copy_taken_reports, ${schema}.keep_usage_months, ${schema}.keep_audit_entries;
  do $$
    declare
      former regclass := (
        select inhrelid from pg_inherits join pg_class on pg_class.oid = inhrelid
        where inhparent = '${schema}.audit_entry'::regclass
          and pg_get_expr(relpartbound, pg_class.oid) like '%(MINVALUE)%'
      );
    begin
      if former is not null then
        execute format('alter table ${schema}.audit_entry detach partition %s', former);
        execute format('insert into ${schema}.audit_entry select * from %s', former);
        execute format('drop table %s', former);
      end if;
    end
  $$;`

/** What of the schema is not as in the one that is made anew, and the other way round. */
const differences = async (query, schema) => {
  const ours = new Map((await query(PARTITIONED, [ANEW])).map(({ key, table }) => [table, key]))
  const parted = (await query(PARTITIONED, [schema])).filter(({ key, table }) => ours.get(table) !== key)
  // Tables that the operator has partitioned are stored as their partitions say.
  const byOperator = new Set(parted.map(({ table }) => table))
  const textOf = ({ kind, line, table }) => {
    if (!byOperator.has(table)) return `${kind} of ${table}: ${line}`
    return kind === "stored" ? `stored of ${table}` : `${kind} of ${table}: ${line.replace(/ WITH \(.*?\)/, "")}`
  }
  const anew = await query(DESCRIBED, [ANEW])
  const known = new Set(anew.map(({ table }) => table))
  const wanted = new Set(anew.map(textOf))
  const found = (await query(DESCRIBED, [schema])).filter(({ table }) => known.has(table))
  const has = new Set(found.map(textOf))
  return [
    ...[...wanted].filter((line) => !has.has(line)).map((line) => `- ${line}`),
    // Operators may have indexes of their own.
    ...found.filter((one) => one.kind !== "index" && !wanted.has(textOf(one))).map((one) => `+ ${textOf(one)}`)
  ]
}

/**
 * Carries a schema over. `query` runs SQL on one connection, with parameters or several statements without, and gives the last rows.
 * Gives the sentence that says what was done; throws, and changes nothing, if the schema is not that of the migrations of before.
 */
export const carryOver = async (query, name) => {
  const schema = `"${name}"`
  // Those after the first one are made at the next start.
  const [all, later] = [0, 1].map((after) => Postgres.migrations({ schema: ANEW, after }))
  const made = all.slice(0, all.length - later.length)
  await query("begin")
  try {
    const [{ found }] = await query("select to_regclass($1) is not null as found", [`${schema}.migration`])
    if (!found) throw new Error(`The database has no schema ${name} of simplan's.`)
    await query(`lock table ${schema}.migration in access exclusive mode`)
    await query(`set local lock_timeout = '10s'; set local search_path = ''; ${made}`)
    const migrations = (space) =>
      query(
        `select migration_id as number, to_jsonb(migration)->>'digest' as digest from ${space}.migration order by 1`
      )
    const [had, has] = [await migrations(schema), await migrations(ANEW)]
    if (had[0]?.digest === has[0].digest) {
      await query("rollback")
      return `The schema ${name} has been carried over already.`
    }
    const [first, last] = [had[0]?.digest ?? "", had.at(-1)?.digest ?? ""]
    if (!first.startsWith(FORMER.first) || !last.startsWith(FORMER.last) || had.length !== FORMER.count) {
      throw new Error(
        `The schema ${name} has had ${had.length} migrations of before, but must have had all ${FORMER.count}: start the last build that has them once.`
      )
    }
    await query(changes(schema))
    for (const { text } of await query(
      "select pg_get_functiondef(oid) as text from pg_proc where pronamespace = $1::regnamespace",
      [ANEW]
    )) {
      await query(text.replaceAll(`${ANEW}.`, `${schema}.`).replaceAll(`"${ANEW}".`, `${schema}.`))
    }
    const different = await differences(query, name)
    if (different.length > 0) {
      throw new Error(
        `The schema ${name} is not as simplan makes it (- is missing, + is more):\n${different.join("\n")}`
      )
    }
    await query(`
      delete from ${schema}.migration;
      insert into ${schema}.migration (migration_id, name, digest) select migration_id, name, digest from ${ANEW}.migration;
      set local client_min_messages = 'warning';
      drop schema ${ANEW} cascade;
      commit`)
    return `The schema ${name} is carried over.`
  } catch (error) {
    await query("rollback")
    throw error
  }
}

/** A connection to a server, or the embedded database of a directory. */
export const open = async (database) => {
  if (/^postgres(ql)?:/.test(database)) {
    const { default: pg } = await import("pg")
    const client = new pg.Client({ connectionString: database })
    await client.connect()
    const query = async (text, parameters) => [await client.query(text, parameters)].flat().at(-1).rows
    return { query, close: () => client.end() }
  }
  const directory = database.replace(/^pglite:\/\//, "")
  if (!existsSync(`${directory}/PG_VERSION`)) throw new Error(`There is no database in ${directory}.`)
  const { PGlite } = await import("@electric-sql/pglite")
  const pglite = await PGlite.create(directory)
  const query = async (text, parameters) =>
    parameters === undefined
      ? ((await pglite.exec(text)).at(-1)?.rows ?? [])
      : (await pglite.query(text, parameters)).rows
  return { query, close: () => pglite.close() }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [database, schema = Postgres.DatabaseSchema.DEFAULT] = process.argv.slice(2)
  try {
    if (database === undefined) throw new Error("The address of the database, or its directory, is needed.")
    const { close, query } = await open(database)
    try {
      console.log(await carryOver(query, schema))
    } finally {
      await close()
    }
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
