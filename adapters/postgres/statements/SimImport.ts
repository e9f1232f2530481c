/**
 * The import of SIMs: one statement for any number of them. An ICCID is unique in the whole service through a table of
 * its own, whose insertion decides, also between two imports at the same time, who has it. Import sequences are counted
 * for each organization, so that they tell nothing of others: imports of one organization take turns at its counter.
 */
import { Effect } from "effect"
import { type AuditEntry, Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../connection/Database.ts"
import * as AuditEntries from "./AuditEntries.ts"
import * as CommitClause from "../sql/CommitClause.ts"

interface Imported {
  readonly iccid: string
  readonly imported: boolean
  /** Who has a taken one; null where it was taken while this statement ran. */
  readonly organizationId: string | null
}

const columns = `
  "organizationId" text, "simId" text, iccid text, label text, "isEsim" boolean, lpa text, "createdAt" bigint,
  allocation jsonb, "recycledAt" bigint, downloaded boolean, smdp jsonb, location jsonb, "lastActivityAt" bigint,
  "mobilePlan" jsonb, position integer`

const statement = (sql: Sql, sims: ReadonlyArray<Storage.NewSim>, entries: ReadonlyArray<AuditEntry.AuditEntry>) => sql<
  Row<Imported>
>`
  with given as (
    select *, row_number() over (partition by iccid order by position) = 1 as is_first
    from ${CommitClause.manyRows(
      sql,
      sims.map((sim, position) => ({ ...sim, position })),
      columns
    )}
  ), registered as (
    insert into simplan.iccid (iccid, organization_id)
    select given.iccid, given."organizationId" from given where given.is_first order by given.iccid collate "C"
    on conflict (iccid) do nothing
    returning iccid, organization_id
  ), counted as (
    insert into simplan.import_sequence as counter (organization_id, last)
    select registered.organization_id, count(*) from registered
    group by registered.organization_id order by registered.organization_id
    on conflict (organization_id) do update set last = counter.last + excluded.last
    returning organization_id, last
  ), numbered as (
    select given.*, counted.last - count(*) over (partition by given."organizationId")
      + row_number() over (partition by given."organizationId" order by given.position) as import_sequence
    from given
    join registered on registered.iccid = given.iccid
    join counted on counted.organization_id = given."organizationId"
    where given.is_first
  ), inserted as (
    insert into simplan.sim (
      organization_id, sim_id, iccid, import_sequence, label, is_esim, lpa, created_at, allocation, allocated_to, recycled_at, downloaded, smdp,
      location, last_activity_at, mobile_plan_applied, mobile_plan_target, version
    )
    select r."organizationId", r."simId", r.iccid, r.import_sequence, r.label, r."isEsim", r.lpa, r."createdAt", r.allocation->>'_tag',
      r.allocation->>'subscriptionId', r."recycledAt", r.downloaded, r.smdp, r.location, r."lastActivityAt",
      (r."mobilePlan"->>'applied')::boolean, (r."mobilePlan"->>'target')::boolean, 1
    from numbered r
    returning 1
  ), audited as (
    ${sql.literal(AuditEntries.insert)}
    from ${CommitClause.rows(sql, entries, AuditEntries.columns)}
    where exists (select from registered)
    on conflict (organization_id, created_at, entry_id) do nothing
    returning 1
  )
  select json_build_object(
    'iccid', given.iccid, 'imported', given.is_first and registered.iccid is not null,
    'organizationId', coalesce(known.organization_id, registered.organization_id)
  ) as value
  from given
  left join registered on registered.iccid = given.iccid
  left join simplan.iccid known on known.iccid = given.iccid
  order by given.position`

/** Who has these ICCIDs. */
const owners = (database: Database, iccids: ReadonlyArray<string>) =>
  iccids.length === 0
    ? Effect.succeed(new Map<string, string>())
    : Effect.map(
        database.write(
          (sql) => sql<Row<{ readonly iccid: string; readonly organizationId: string }>>`
            select json_build_object('iccid', iccid.iccid, 'organizationId', iccid.organization_id) as value
            from simplan.iccid
            where iccid.iccid in (select r.text from ${CommitClause.texts(sql, iccids)})`
        ),
        (rows) => new Map(rows.map((row) => [row.iccid, row.organizationId]))
      )

/** Imports those whose ICCID is new, and names who has the others. */
export const run = (database: Database) =>
  Effect.fnUntraced(function* (sims: ReadonlyArray<Storage.NewSim>, auditEntry?: AuditEntry.AuditEntry) {
    const rows = yield* database.write((sql) => statement(sql, sims, auditEntry === undefined ? [] : [auditEntry]))
    // What another import registered after this statement's snapshot is only visible to the next statement.
    const unknown = rows.filter((row) => row.organizationId === null).map((row) => row.iccid)
    const found = yield* owners(database, unknown)
    const imported: Array<string> = []
    const taken: Array<Storage.ImportOutcome["taken"][number]> = []
    for (const row of rows) {
      const organizationId = row.organizationId ?? found.get(row.iccid)
      if (row.imported) imported.push(row.iccid)
      else if (organizationId !== undefined) taken.push({ iccid: row.iccid, organizationId })
      // Only in a host's transaction that sees nothing newer than its start.
      else
        return yield* new Storage.StorageError({ message: `The ICCID ${row.iccid} was just taken by another import` })
    }
    return { imported, taken }
  })
