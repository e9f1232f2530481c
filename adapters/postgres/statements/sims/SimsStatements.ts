/**
 * The rows of SIMs, and the reads of SIMs by themselves.
 *
 * One answer may have many SIMs, so they come as JSON arrays without names (see `Columns.Packed`).
 * What most SIMs have none of stands together at the end, and is null if there is nothing of it.
 */
import type { Fragment } from "effect/sql/Statement"
import { type Label, Sim, SimIdentities, type Storage, Withdrawal } from "simplan/ports"
import * as Batching from "../../database/Batching.ts"
import type { Database, Row, Sql } from "../../database/Database.ts"
import * as Secrets from "../../encryption/Secrets.ts"
import * as Columns from "../../sql/Columns.ts"
import * as Pages from "../../sql/Pages.ts"

/**
 * Who has a SIM, as its row has it: two columns for the domain's `Sim.Allocation`. The first one
 * distinguishes a withdrawn SIM whose end the telco has not confirmed yet, as `Replaced`. So no
 * statement names its values: a condition is made of a question of the domain, and asks for all of
 * them that are meant.
 */
const allocations = ["Free", "Provisioning", "InService", "Releasing", "Withdrawn", "Replaced"] as const

/** One of the values. */
type StoredAllocation = (typeof allocations)[number]

/** The columns of an allocation. */
export interface AllocationColumns {
  readonly allocation: StoredAllocation
  /**
   * The subscription that has it, or why it is withdrawn; null if it is free: what the index of
   * free eSIMs goes by.
   */
  readonly allocatedTo: string | null
}

/** The columns of an allocation as they are written. */
export const allocationColumnsOf = (allocation: Sim.Allocation): AllocationColumns => {
  const holder = Sim.holder(allocation)
  const reason = Sim.withdrawnReason({ allocation })
  return reason !== null && holder !== null
    ? { allocation: "Replaced", allocatedTo: holder }
    : { allocation: allocation._tag, allocatedTo: holder ?? reason }
}

/** The allocation that the columns have. */
const allocationOf = (stored: StoredAllocation, allocatedTo: string | null): Sim.Allocation => {
  if (stored === "Free" || allocatedTo === null) return { _tag: "Free" }
  if (stored === "Replaced") return { _tag: "Withdrawn", reason: "replaced", ending: allocatedTo }
  if (stored !== "Withdrawn") return { _tag: stored, subscriptionId: allocatedTo }
  return { _tag: stored, reason: Withdrawal.isReason(allocatedTo) ? allocatedTo : "broken", ending: null }
}

/** The condition that a SIM's allocation is one of those for which the domain says so. */
export const allocatedSo = (
  isAsked: (sim: Pick<Sim.Sim, "allocation">) => boolean,
  column = "sim.allocation"
): string => {
  const asked = allocations.filter((value) => isAsked({ allocation: allocationOf(value, "") }))
  return `${column} in (${asked.map((value) => `'${value}'`).join(", ")})`
}

/** The condition that a SIM stands so (rule L1). */
export const standing = (status: Sim.Status, column?: string): string =>
  allocatedSo((sim) => Sim.status(sim) === status, column)

/**
 * What the column `releasing` has of a row that is written: true or null, which an index goes by.
 */
export const RELEASING = `nullif(${standing("releasing", "r.allocation")}, false)`

/** The columns of questions about one SIM each. */
export const ofSim = Columns.of<Batching.Placed<Batching.OfSim>>({
  at: "integer",
  organizationId: "text",
  iccid: "text"
})

/** A SIM as its row has it. */
export interface SimRow
  extends Omit<Sim.Sim, "allocation" | "mobilePlan" | "moves" | "service" | "tags">,
    AllocationColumns {
  /** Null: none. */
  readonly moves: Sim.Sim["moves"] | null
  /** Null: none. */
  readonly tags: Sim.Sim["tags"] | null
  /** True while it is being released, else null: what an index goes by. */
  readonly releasing: true | null
  readonly mobilePlanApplied: boolean
  readonly mobilePlanTarget: boolean | null
  readonly pausedAt: number | null
  /** The change of the service that is under way, and what it makes; null if none is. */
  readonly serviceChange: string | null
  readonly serviceActive: boolean | null
}

/** What a repeated import may bring (rule I7). */
export const identityColumns = Columns.of<SimIdentities.SimIdentities>({
  imsi: "text",
  msisdn: "text",
  subscriberId: "text"
})

const core = {
  simId: "text",
  iccid: "text",
  importSequence: "bigint",
  label: "text",
  isEsim: "boolean",
  lpa: "text",
  createdAt: "bigint",
  allocation: "text",
  allocatedTo: "text",
  version: "bigint"
} as const

type Rest = Omit<SimRow, keyof typeof core | keyof SimIdentities.SimIdentities | "organizationId" | "releasing">

/** What most SIMs have none of: a column without a value is added here. */
const rest = Columns.of<Rest>({
  recycledAt: "bigint",
  movedTo: "text",
  downloaded: "boolean",
  smdp: "jsonb",
  location: "jsonb",
  lastActivityAt: "bigint",
  mobilePlanApplied: "boolean",
  mobilePlanTarget: "boolean",
  pausedAt: "bigint",
  serviceChange: "text",
  serviceActive: "boolean",
  moves: "jsonb",
  tags: "jsonb",
  purchase: "jsonb"
})

/** A column of a list as it is written: null if nothing is in it. */
export const listColumnOf = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> | null => (list.length === 0 ? null : list)

/** All columns of a SIM. */
export const columns = Columns.of<SimRow>(
  { organizationId: "text", ...core, ...identityColumns.types, releasing: "boolean", ...rest.types },
  ["organizationId", "iccid"]
)

const nothing: Rest = { ...Columns.empty(rest), downloaded: false, mobilePlanApplied: false }

const isSomething = rest.all.map((name) => {
  const [column] = Columns.selected("sim", [name])
  return nothing[name] === false ? column : `${column} is not null`
})

export type Packed = readonly [
  simId: string,
  iccid: string,
  importSequence: number,
  label: Label.Label,
  isEsim: boolean,
  lpa: string | null,
  createdAt: number,
  allocation: StoredAllocation,
  allocatedTo: string | null,
  version: number,
  rest: Columns.Packed<Rest> | null,
  identities: Columns.Packed<SimIdentities.SimIdentities> | null
]

const values = [
  ...Columns.selected("sim", Object.keys(core)),
  `case when ${isSomething.join(" or ")}
    then ${Columns.packed("sim", rest)}
  end`,
  `case when coalesce(${Columns.selected("sim", identityColumns.all).join(", ")}) is not null
    then ${Columns.packed("sim", identityColumns)}
  end`
]

export const value = `json_build_array(${values.join(", ")})`

/** Null: there is no SIM. */
type PackedPage = Columns.ByColumn<Packed> | null

/**
 * The SIMs of a page column by column, in the order in which they come: made in three quarters of
 * the time.
 */
const packedPage = `case when count(*) > 0 then
  json_build_array(${values.map((column) => `array_agg(${column})`).join(", ")})
end`

const mobilePlanOf = (applied: boolean, target: boolean | null): Sim.MobilePlan =>
  target === null ? { _tag: "Settled", applied } : { _tag: "Changing", applied, target }

const serviceOf = (pausedAt: number | null, changeId: string | null, active: boolean | null): Sim.Service =>
  changeId === null || active === null
    ? { _tag: "Settled", pausedAt }
    : { _tag: "Changing", pausedAt, changeId, active }

const inIdentities = Columns.places(identityColumns)

const inRest = Columns.places(rest)

const unpackIdentities = (packed: Columns.Packed<SimIdentities.SimIdentities>): SimIdentities.SimIdentities => ({
  imsi: packed[inIdentities.imsi],
  msisdn: packed[inIdentities.msisdn],
  subscriberId: packed[inIdentities.subscriberId]
})

const unpackRest = (packed: Columns.Packed<Rest>) => ({
  recycledAt: packed[inRest.recycledAt],
  movedTo: packed[inRest.movedTo],
  moves: packed[inRest.moves] ?? [],
  tags: packed[inRest.tags] ?? [],
  purchase: packed[inRest.purchase],
  downloaded: packed[inRest.downloaded],
  smdp: packed[inRest.smdp],
  location: packed[inRest.location],
  lastActivityAt: packed[inRest.lastActivityAt],
  mobilePlan: mobilePlanOf(packed[inRest.mobilePlanApplied], packed[inRest.mobilePlanTarget]),
  service: serviceOf(packed[inRest.pausedAt], packed[inRest.serviceChange], packed[inRest.serviceActive])
})

const {
  mobilePlanApplied,
  mobilePlanTarget,
  moves: _,
  pausedAt,
  serviceActive,
  serviceChange,
  tags: __,
  ...without
} = nothing

const fresh = {
  ...without,
  moves: [],
  tags: [],
  mobilePlan: mobilePlanOf(mobilePlanApplied, mobilePlanTarget),
  service: serviceOf(pausedAt, serviceChange, serviceActive)
}

/** The SIM of an organization that was packed, with its activation code decrypted. */
export const unpack = (
  decrypt: Secrets.Turn,
  organizationId: string,
  [
    simId,
    iccid,
    importSequence,
    label,
    isEsim,
    lpa,
    createdAt,
    allocation,
    allocatedTo,
    version,
    rest,
    identities
  ]: Packed
): Sim.Sim => {
  // A literal that takes in others by `...` takes twice as long.
  const { imsi, msisdn, subscriberId } = identities === null ? SimIdentities.none : unpackIdentities(identities)
  const known = rest === null ? fresh : unpackRest(rest)
  const { downloaded, lastActivityAt, location, mobilePlan, movedTo, moves, recycledAt, service, smdp, tags } = known
  const { purchase } = known
  return {
    organizationId,
    simId,
    iccid,
    importSequence,
    label,
    isEsim,
    lpa: lpa === null ? null : decrypt(lpa, ["activation code", organizationId, iccid]),
    imsi,
    msisdn,
    subscriberId,
    createdAt,
    allocation: allocationOf(allocation, allocatedTo),
    recycledAt,
    movedTo,
    moves,
    tags,
    purchase,
    downloaded,
    smdp,
    location,
    lastActivityAt,
    mobilePlan,
    service,
    version
  }
}

/** The SIMs of an organization that were packed as a page. */
const unpackPage = (decrypt: Secrets.Turn, organizationId: string, packed: PackedPage): ReadonlyArray<Sim.Sim> => {
  if (packed === null) return []
  const [
    simIds,
    iccids,
    importSequences,
    labels,
    areEsims,
    lpas,
    createdAts,
    allocations,
    allocatedTos,
    versions,
    rests,
    allIdentities
  ] = packed
  const sims: Array<Sim.Sim> = []
  for (const [at, simId] of simIds.entries()) {
    const [iccid, importSequence, label, isEsim] = [iccids[at], importSequences[at], labels[at], areEsims[at]]
    const [createdAt, allocation, version] = [createdAts[at], allocations[at], versions[at]]
    if (iccid === undefined || importSequence === undefined || label === undefined || isEsim === undefined) break
    if (createdAt === undefined || allocation === undefined || version === undefined) break
    const [lpa, allocatedTo, rest] = [lpas[at] ?? null, allocatedTos[at] ?? null, rests[at] ?? null]
    const identities = allIdentities[at] ?? null
    sims.push(
      unpack(decrypt, organizationId, [
        simId,
        iccid,
        importSequence,
        label,
        isEsim,
        lpa,
        createdAt,
        allocation,
        allocatedTo,
        version,
        rest,
        identities
      ])
    )
  }
  return sims
}

interface Query extends Storage.Page<number> {
  readonly isEsim: boolean | null
  readonly label: Label.Label | null
}

/** A SIM by itself. */
export const byIccid = (database: Database) => {
  const lookup = Batching.reads<Batching.OfSim, Packed>(
    database,
    (sql, asked) => sql<Row<Batching.Found<Packed>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(value)})::text as value
      from ${Columns.rows(sql, asked, ofSim)}
      join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid`
  )
  const { decrypt } = database.cipher
  return (of: Batching.OfSim) =>
    Secrets.decoded(lookup(of), (found) => (found === null ? null : unpack(decrypt, of.organizationId, found)))
}

/**
 * The rows of a page. Label and kind stand in the order, and are bounds and not equalities, so that
 * the planner has no index but the one that they lead: by its statistics another one may look as
 * good, and be read as a whole. Of a label both kinds are read.
 */
const listed = (sql: Sql, { after, isEsim, label, limit, organizationId }: Query): Fragment => {
  const ofKind = (isEsim: boolean | null): Fragment => {
    const [columns, values] = [
      [...(label === null ? [] : ["sim.label"]), ...(isEsim === null ? [] : ["sim.is_esim"])],
      [...(label === null ? [] : [sql`${label}::text`]), ...(isEsim === null ? [] : [sql`${isEsim}::boolean`])]
    ]
    const filters = [
      sql`sim.organization_id = ${organizationId}`,
      sql`(${sql.literal([...columns, "sim.import_sequence"].join(", "))})
        > (${sql.csv([...values, sql`${after ?? 0}::bigint`])})`,
      ...(columns.length === 0 ? [] : [sql`(${sql.literal(columns.join(", "))}) <= (${sql.csv(values)})`])
    ]
    return Columns.first(
      sql,
      sql`
        select * from simplan.sim where ${sql.and(filters)}
        order by ${sql.literal([...columns, "sim.import_sequence"].join(", "))}`,
      limit
    )
  }
  return label === null || isEsim !== null
    ? ofKind(isEsim)
    : sql`
        select * from ((${ofKind(true)}) union all (${ofKind(false)})) kinds order by import_sequence limit ${limit}::int`
}

/** A page, by import sequence; one row of a result has it all. */
export const page = (database: Database) =>
  Pages.sized<number, Query, NonNullable<PackedPage>, Sim.Sim>(database, {
    statement: (sql, of) => sql`
      select (${sql.literal(packedPage)})::text as value from (${listed(sql, of)}) sim`,
    unpack: (found, { organizationId }) => unpackPage(database.cipher.decrypt, organizationId, found),
    cursorOf: ({ importSequence }) => importSequence
  })

/** By what its telco knows a SIM. */
export const identities =
  (database: Database) =>
  ({ iccid, organizationId }: Storage.OfOrganization & { readonly iccid: string }) =>
    database.row(
      (sql) => sql<Row<SimIdentities.SimIdentities>>`
        select ${sql.literal(Columns.json("sim", identityColumns))}::text as value
        from simplan.sim
        where sim.organization_id = ${organizationId} and sim.iccid = ${iccid}`
    )
