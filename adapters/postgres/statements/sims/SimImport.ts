/**
 * The import of SIMs: one statement for any number of them. An ICCID is unique in the whole service
 * through a table of its own, whose insertion decides, also between two imports at the same time,
 * who has it. Import sequences are counted for each organization, so that they tell nothing of
 * others: imports of one organization take turns at its counter.
 *
 * A SIM that the organization has already gets the identities of its row, and the activation code
 * if it is an eSIM without one (rule I7).
 */
import { Effect } from "effect"
import { type AuditEntry, Sim, Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../../database/Database.ts"
import * as Secrets from "../../encryption/Secrets.ts"
import * as AuditEntries from "../AuditEntries.ts"
import * as SimsStatements from "./SimsStatements.ts"
import * as Columns from "../../sql/Columns.ts"

interface Imported {
  readonly iccid: string
  readonly imported: boolean
  readonly updated: boolean
  /** Who has a taken one; null if it was taken while this statement ran. */
  readonly organizationId: string | null
  /**
   * What stays of a SIM that is there, if it may differ from the row: an encrypted code differs
   * from any.
   */
  readonly stored: Sim.Kept | null
}

/** What a new SIM has in columns that its import does not name so. */
const made = {
  importSequence: "r.import_sequence",
  releasing: SimsStatements.RELEASING,
  mobilePlanApplied: `(r."mobilePlan"->>'applied')::boolean`,
  mobilePlanTarget: `(r."mobilePlan"->>'target')::boolean`,
  pausedAt: `(r.service->>'pausedAt')::bigint`,
  serviceChange: `r.service->>'changeId'`,
  serviceActive: `(r.service->>'active')::boolean`,
  version: "1"
} as const

const { all, types } = SimsStatements.columns

/** A new SIM as it is given. */
const columns = [
  ...all.flatMap((name) => (name in made ? [] : [`${Columns.quoted(name)} ${types[name]}`])),
  '"mobilePlan" jsonb, service jsonb, position integer'
].join(", ")

const insertion = Columns.insertion("sim", SimsStatements.columns, made)

const identities = SimsStatements.identityColumns.all.map((name) => ({
  name: Columns.quoted(name),
  column: Columns.columnOf(name)
}))

const givenIdentities = identities.map(({ name }) => `given.${name}`).join(", ")

const isDifferent = identities.map(({ column, name }) => `given.${name} <> coalesce(sim.${column}, '')`).join(" or ")

const replacement = identities.map(({ column, name }) => `${column} = coalesce(r.${name}, sim.${column})`).join(", ")

// The count of what was inserted lets all imports take their locks in one order: SIMs that are
// there already come last.
//
// What is there of the ICCIDs is looked up by a list of them. An engine that is distributed would
// copy all rows of a table that it joins to rows of a statement from the left.
const statement = (sql: Sql, sims: ReadonlyArray<Storage.NewSim>, entries: ReadonlyArray<AuditEntry.AuditEntry>) => sql<
  Row<Imported>
>`
  with given as (
    select *, row_number() over (partition by iccid order by position) = 1 as is_first
    from ${Columns.manyRows(
      sql,
      sims.map((sim, position) => ({ ...sim, ...SimsStatements.allocationColumnsOf(sim.allocation), position })),
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
    ${sql.literal(insertion)}
    from numbered r
    returning 1
  ), differing as (
    select * from (
      select sim.organization_id, sim.iccid, given.lpa, ${sql.literal(givenIdentities)}
      from given
      join simplan.sim on sim.organization_id = given."organizationId" and sim.iccid = given.iccid ${Columns.ofOwner(sql, "sim", sims)}
      where given.is_first and (select count(*) from inserted) >= 0 and (
        ${sql.literal(isDifferent)} or given.lpa is not null and sim.lpa is null and sim.is_esim
      )
      order by sim.organization_id, sim.iccid
      for no key update of sim
    ) locked
  ), updated as (
    update simplan.sim set ${sql.literal(replacement)},
      lpa = coalesce(sim.lpa, case when sim.is_esim then r.lpa end)
    from differing r
    where sim.organization_id = r.organization_id and sim.iccid = r.iccid ${Columns.ofOwner(sql, "sim", sims)}
    returning sim.iccid
  ), audited as (
    ${sql.literal(AuditEntries.insertion)}
    from ${Columns.rows(sql, entries, AuditEntries.columns)}
    where exists (select from registered) or exists (select from updated)
    on conflict (organization_id, created_at, entry_id) do nothing
    returning 1
  )
  select json_build_object(
    'iccid', given.iccid, 'imported', given.is_first and registered.iccid is not null,
    'updated', given.is_first and updated.iccid is not null,
    'organizationId', coalesce(known.organization_id, registered.organization_id),
    'stored', case when sim.label <> given.label or sim.is_esim <> given."isEsim" or sim.lpa <> given.lpa
      then json_build_object('label', sim.label, 'isEsim', sim.is_esim, 'lpa', sim.lpa) end
  )::text as value
  from given
  left join registered on registered.iccid = given.iccid
  left join updated on updated.iccid = given.iccid
  left join (
    select iccid.iccid, iccid.organization_id
    from simplan.iccid
    where iccid.iccid = any(array(select asked.iccid from given asked))
  ) known on known.iccid = given.iccid
  left join (
    select sim.organization_id, sim.iccid, sim.label, sim.is_esim, sim.lpa
    from simplan.sim
    where sim.organization_id = any(array(select distinct asked."organizationId" from given asked))
      and sim.iccid = any(array(select asked.iccid from given asked)) ${Columns.ofOwner(sql, "sim", sims)}
  ) sim on given.is_first and sim.organization_id = given."organizationId" and sim.iccid = given.iccid
  order by given.position`

/**
 * Sends the statement for some rows, and gives what became of each. Where tables are distributed,
 * a statement locks SIMs of one organization: those of several are sent one after another.
 */
const storing =
  (database: Database, entries: ReadonlyArray<AuditEntry.AuditEntry>) =>
  (all: ReadonlyArray<Storage.NewSim>): Effect.Effect<ReadonlyArray<Imported>, Storage.StorageError> => {
    if (!database.isDistributed) return database.write((sql) => statement(sql, all, entries))
    const owners = [...new Set(all.map(({ organizationId }) => organizationId))]
    return Effect.gen(function* () {
      const found = new Map<Storage.NewSim, Imported>()
      for (const [at, owner] of owners.entries()) {
        const own = all.filter(({ organizationId }) => organizationId === owner)
        const rows = yield* database.write((sql) => statement(sql, own, at === 0 ? entries : []))
        for (const [place, row] of rows.entries()) {
          const sim = own[place]
          if (sim !== undefined) found.set(sim, row)
        }
      }
      return all.flatMap((sim) => found.get(sim) ?? [])
    })
  }

/**
 * Imports SIMs whose ICCID is new, updates those that the organization has (rule I7), and names who
 * has the others.
 */
export const run = (database: Database) =>
  Effect.fnUntraced(function* (sims: ReadonlyArray<Storage.NewSim>, auditEntry?: AuditEntry.AuditEntry) {
    const entries = auditEntry === undefined ? [] : [auditEntry]
    const store = storing(database, entries)
    const given = sims.map(Secrets.ofSim(database.cipher.encrypt))
    const open = Secrets.ofSim(database.cipher.decrypt)
    const rows = yield* store(given)
    // What another import registered after this statement's snapshot is only visible to the next
    // statement.
    const unseen = given.filter((_, position) => rows[position]?.organizationId === null)
    const seen = unseen.length === 0 ? [] : yield* store(unseen)
    const outcome = {
      imported: [] as string[],
      updated: [] as string[],
      taken: [] as Storage.ImportOutcome["taken"][number][],
      differing: [] as Storage.ImportOutcome["differing"][number][]
    }
    let next = 0
    for (const [position, row] of rows.entries()) {
      const found = row.organizationId === null ? (seen[next++] ?? row) : row
      const { iccid, imported, organizationId, updated } = found
      if (imported) outcome.imported.push(iccid)
      else if (updated) outcome.updated.push(iccid)
      else if (organizationId !== null) outcome.taken.push({ iccid, organizationId })
      // Only in a host's transaction that sees nothing newer than its start.
      else return yield* new Storage.StorageError({ message: `The ICCID ${iccid} was just taken by another import` })
      const sim = sims[position]
      if (found.stored === null || sim === undefined || organizationId === null) continue
      const { organizationId: _, ...stored } = yield* Secrets.decoded(Effect.succeed(found.stored), (kept) =>
        open({ ...kept, iccid, organizationId })
      )
      if (Sim.difference(stored, sim) !== null) outcome.differing.push(stored)
    }
    return outcome
  })
