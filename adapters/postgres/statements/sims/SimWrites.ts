/**
 * What a commit writes of SIMs, and of what hangs on them: their subscriptions, attachments and
 * packages.
 *
 * Each difference of a SIM is written by the statements for the columns that it changes. There are
 * few of them and their texts are fixed, so that PostgreSQL plans each one once. Those of a SIM are
 * guarded by its version, raise it, and end any reservation of the SIM. What hangs on it is written
 * under that guard.
 */
import { type Attachment, type Package, Sim, SimDifference, type SimIdentities, Subscription } from "simplan/ports"
import type { Database, Sql } from "../../database/Database.ts"
import * as Secrets from "../../encryption/Secrets.ts"
import * as Columns from "../../sql/Columns.ts"
import * as SimAggregates from "./SimAggregates.ts"
import * as SimsStatements from "./SimsStatements.ts"
import * as SubscriptionsStatements from "./SubscriptionsStatements.ts"

type Key = "organizationId" | "iccid" | "version"

/** A SIM as it is to be, under the version that was loaded. A view has some of its columns. */
type State = Pick<SimsStatements.SimRow, Key> & {
  readonly [Name in keyof SimsStatements.SimRow]?: SimsStatements.SimRow[Name] | undefined
}

const unallocated = { allocation: undefined, allocatedTo: null }

const stateOf = (row: SimDifference.Difference["sim"]["row"]): State => {
  const change = row.service === undefined ? null : Sim.changeOfService(row.service)
  return {
    organizationId: row.organizationId,
    iccid: row.iccid,
    version: row.version,
    ...(row.allocation === undefined ? unallocated : SimsStatements.allocationColumnsOf(row.allocation)),
    recycledAt: row.recycledAt,
    movedTo: row.movedTo,
    moves: row.moves === undefined ? undefined : SimsStatements.listColumnOf(row.moves),
    tags: row.tags === undefined ? undefined : SimsStatements.listColumnOf(row.tags),
    downloaded: row.downloaded,
    smdp: row.smdp,
    location: row.location,
    lastActivityAt: row.lastActivityAt,
    mobilePlanApplied: row.mobilePlan?.applied,
    mobilePlanTarget: row.mobilePlan === undefined ? null : (Sim.changeOfPlan(row.mobilePlan)?.target ?? null),
    pausedAt: row.service?.pausedAt,
    serviceChange: change?.changeId ?? null,
    serviceActive: change?.active ?? null
  }
}

const simColumns: Columns.Columns<State> = SimsStatements.columns

const keyColumns = Columns.pick(simColumns, ["organizationId", "iccid", "version"], ["organizationId"])

/** Writes these columns of SIMs, and what follows from them. */
const writing = <Name extends Exclude<keyof State, Key>>(
  name: string,
  changing: ReadonlyArray<Name>,
  following: ReadonlyArray<string> = []
): Columns.Write<State> => {
  const columns = Columns.pick(simColumns, ["organizationId", "iccid", "version", ...changing], ["organizationId"])
  const assignments = [...changing.map(Columns.assignment), ...following, "version = r.version + 1"]
  return Columns.clause(
    name,
    columns,
    (rows) => `update simplan.sim set
        ${assignments.join(", ")}, reservation_token = null, reserved_until = null
      from ${rows}
      where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
      returning 1`,
    "version"
  )
}

/** What usage changes. */
const usage = ["downloaded", "lastActivityAt"] as const
/** What reports of any kind change. */
const reported = [...usage, "smdp", "location"] as const
/** Who has the SIM. */
const allocation = ["allocation", "allocatedTo", "recycledAt", "movedTo", "moves"] as const

/** Whether the SIM has service. */
const service = ["pausedAt", "serviceChange", "serviceActive"] as const

const releasing = `releasing = ${SimsStatements.RELEASING}`

/** Raises the versions alone. */
const touch = writing("sim_touched", [])

const use = writing("sim_used", usage)

const report = writing("sim_reported", reported)

const allocate = writing("sim_allocated", allocation, [releasing])

/** Writes everything that can change. */
const update = writing(
  "sim_updated",
  [...allocation, ...reported, "mobilePlanApplied", "mobilePlanTarget", ...service],
  [releasing]
)

const written = [...allocation, ...reported, "mobilePlanApplied", "mobilePlanTarget"] as const

/**
 * A SIM that is corrected (rules I9 and I14). An import may bring an activation code meanwhile, so
 * only one that changes is written.
 */
type Corrected = Pick<State, Key | (typeof written)[number]> &
  Pick<SimsStatements.SimRow, "label" | "lpa" | "tags"> & { readonly isNewCode: boolean }

const correctedColumns = Columns.of<Corrected>(
  {
    ...Columns.pick(simColumns, ["organizationId", "iccid", "version", ...written, "label", "lpa", "tags"]).types,
    isNewCode: "boolean"
  },
  ["organizationId", "iccid"]
)

/** Writes everything that can change, and what corrections do. */
const correct: Columns.Write<Corrected> = Columns.clause(
  "sim_corrected",
  correctedColumns,
  (rows) => `update simplan.sim set
        ${written.map(Columns.assignment).join(", ")}, ${releasing}, label = r.label, tags = r.tags,
        lpa = case when r."isNewCode" then r.lpa else sim.lpa end,
        version = r.version + 1, reservation_token = null, reserved_until = null
      from ${rows}
      where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
      returning 1`,
  "version"
)

/**
 * A SIM whose purchase is another one, or becomes another thing (rule I15). An import may bring an
 * activation code and identities meanwhile, so only those that change are written.
 */
type Purchased = Corrected &
  Pick<State, (typeof service)[number]> &
  Pick<SimsStatements.SimRow, "purchase" | keyof SimIdentities.SimIdentities> & { readonly isOther: boolean }

const identities = SimsStatements.identityColumns.all

const purchasedColumns = Columns.of<Purchased>(
  {
    ...correctedColumns.types,
    ...Columns.pick(simColumns, ["organizationId", "iccid", "version", ...service]).types,
    ...SimsStatements.identityColumns.types,
    purchase: "jsonb",
    isOther: "boolean"
  },
  ["organizationId", "iccid"]
)

const replaced = (name: keyof SimIdentities.SimIdentities): string => {
  const column = Columns.columnOf(name)
  return `${column} = case when r."isOther" then r.${Columns.quoted(name)} else sim.${column} end`
}

/** Writes everything there is. */
const purchase: Columns.Write<Purchased> = Columns.clause(
  "sim_purchased",
  purchasedColumns,
  (rows) => `update simplan.sim set
        ${[...written, ...service].map(Columns.assignment).join(", ")}, ${releasing}, label = r.label, tags = r.tags,
        lpa = case when r."isNewCode" then r.lpa else sim.lpa end, purchase = r.purchase,
        ${identities.map(replaced).join(", ")},
        version = r.version + 1, reservation_token = null, reserved_until = null
      from ${rows}
      where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
      returning 1`,
  "version"
)

/**
 * Locks SIMs in the order of their keys, for a commit that writes several of them in several ways.
 * The lock stands in a subquery: an engine that is distributed hands on no CTE that ends in one.
 */
const lock = (sql: Sql, rows: ReadonlyArray<Pick<State, Key>>, ending = ""): Columns.Clause => ({
  ctes: [
    sql`sim_locked${sql.literal(ending)} as (
      select * from (
        select sim.iccid
        from ${Columns.rows(sql, rows, keyColumns)}
        join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid
          ${Columns.ofOwner(sql, "sim", rows)}
        for update of sim
      ) locked
    )`
  ],
  outcome: sql`(select count(*) from sim_locked${sql.literal(ending)})`
})

/** Rows are locked by a clause of each organization where tables are distributed. */
const locks = (
  sql: Sql,
  rows: ReadonlyArray<Pick<State, Key>>,
  isDistributed: boolean
): ReadonlyArray<Columns.Clause> =>
  isDistributed
    ? Columns.ofEach(
        rows,
        ({ organizationId }) => organizationId,
        (own, ending) => lock(sql, own, ending)
      )
    : [lock(sql, rows)]

/** A SIM in service with its live subscription and a confirmed attachment. */
interface Provisioned extends Pick<SimsStatements.SimRow, Key> {
  readonly subscriptionId: string
  readonly attachmentId: string
}

const provisionedColumns = Columns.of<Provisioned>(
  { organizationId: "text", iccid: "text", subscriptionId: "text", attachmentId: "text", version: "bigint" },
  ["organizationId", "iccid"]
)

const IN_SERVICE = `'${SimsStatements.allocationColumnsOf({ _tag: "InService", subscriptionId: "" }).allocation}'`

/**
 * Writes what a confirmed creation changes: a word each in the rows of the SIM, of its subscription
 * and of the attachment. Every creation ends with it, and it costs half of what the three general
 * statements do.
 */
const provision = (sql: Sql, rows: ReadonlyArray<Provisioned>): Columns.Clause => ({
  ctes: [
    sql`provisioned as (
      select * from ${Columns.rows(sql, rows, provisionedColumns)}
    )`,
    sql`sim_provisioned as (
      update simplan.sim set
        allocation = ${sql.literal(IN_SERVICE)}, allocated_to = r."subscriptionId", releasing = null, version = r.version + 1,
        reservation_token = null, reserved_until = null
      from provisioned r
      where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
        ${Columns.ofOwner(sql, "sim", rows)}
      returning 1
    )`,
    sql`subscription_provisioned as (
      update simplan.subscription set status = 'Live'
      from provisioned r
      where subscription.organization_id = r."organizationId" and subscription.subscription_id = r."subscriptionId"
        and subscription.status = 'Pending' ${Columns.ofOwner(sql, "subscription", rows)}
      returning 1
    )`,
    sql`attachment_provisioned as (
      update simplan.attachment set confirmed = true
      from provisioned r
      where attachment.organization_id = r."organizationId" and attachment.attachment_id = r."attachmentId"
        ${Columns.ofOwner(sql, "attachment", rows)}
      returning 1
    )`
  ],
  outcome: sql`simplan.ensure((select count(*) from sim_provisioned) = ${rows.length}::int, 'version'),
    (select count(*) from subscription_provisioned), (select count(*) from attachment_provisioned)`
})

const addSubscriptions = Columns.insert("subscription_added", "subscription", SubscriptionsStatements.columns)

/** Writes the status, which is all that changes of a subscription. */
const changeStatus = Columns.update(
  "subscription_changed",
  "subscription",
  Columns.pick(SubscriptionsStatements.columns, ["organizationId", "subscriptionId", "status"])
)

/** Removes subscriptions. Their attachments are removed by the same commit. */
const removeSubscriptions = Columns.remove(
  "subscription_removed",
  "subscription",
  Columns.pick(SubscriptionsStatements.columns, ["organizationId", "subscriptionId"])
)

const { attachmentColumns, packageColumns } = SimAggregates

const addAttachments = Columns.insert("attachment_added", "attachment", attachmentColumns)

/** Writes everything that can change of attachments. */
const updateAttachments = Columns.update(
  "attachment_updated",
  "attachment",
  Columns.pick(
    attachmentColumns,
    ["organizationId", "attachmentId", "confirmed", "anchor", "suspendedAt", "lastThresholdNotified"],
    ["organizationId"]
  )
)

/** Writes what usage changes of attachments. */
const notifyAttachments = Columns.update(
  "attachment_notified",
  "attachment",
  Columns.pick(
    attachmentColumns,
    ["organizationId", "attachmentId", "anchor", "lastThresholdNotified"],
    ["organizationId"]
  )
)

const addPackages = Columns.insert("package_added", "package", packageColumns)

/** Writes what usage changes of packages. */
const usePackages = Columns.update(
  "package_used",
  "package",
  Columns.pick(
    packageColumns,
    ["organizationId", "attachmentId", "occurrence", "activationAt", "expirationAt", "usedBytes"],
    ["organizationId", "occurrence"]
  )
)

/** Takes subscriptions to another SIM (rule S8). */
const moveSubscriptions = Columns.update(
  "subscription_moved",
  "subscription",
  Columns.pick(SubscriptionsStatements.columns, ["organizationId", "subscriptionId", "iccid"])
)

/** Takes attachments to another SIM. */
const moveAttachments = Columns.update(
  "attachment_moved",
  "attachment",
  Columns.pick(attachmentColumns, ["organizationId", "attachmentId", "iccid", "replacements"], ["organizationId"])
)

const changingOfPackages = packageColumns.all.filter((name) => name !== "status")

/** Writes everything that can change of packages, their SIM too. */
const updatePackages = Columns.update("package_updated", "package", Columns.pick(packageColumns, changingOfPackages))

const attachmentKey = Columns.pick(attachmentColumns, ["organizationId", "attachmentId"])

/** Removes attachments with their packages. */
const removeAttachments = (sql: Sql, rows: ReadonlyArray<SimDifference.AttachmentState>): Columns.Clause => ({
  ctes: [
    sql`attachment_gone as (
      select * from ${Columns.rows(sql, rows, attachmentKey)}
    )`,
    sql`attachment_removed as (
      delete from simplan.attachment using attachment_gone gone
      where attachment.organization_id = gone."organizationId" and attachment.attachment_id = gone."attachmentId"
        ${Columns.ofOwner(sql, "attachment", rows)}
      returning 1
    )`,
    sql`package_removed as (
      delete from simplan.package using attachment_gone gone
      where package.organization_id = gone."organizationId" and package.attachment_id = gone."attachmentId"
        ${Columns.ofOwner(sql, "package", rows)}
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from attachment_removed), (select count(*) from package_removed)`
})

type Difference = SimDifference.Difference
type SimField = SimDifference.SimField

const usageFields = new Set<SimField>(usage)
const reportedFields = new Set<SimField>(reported)
const packageUsage = new Set<SimDifference.PackageField>(["activationAt", "expirationAt", "usedBytes"])
const notifiedFields = new Set<SimDifference.AttachmentField>(["anchor", "lastThresholdNotified"])
const allocationFields = new Set<SimField>(["allocation", "recycledAt", "movedTo", "moves"])

const isWithin = <Field>(fields: ReadonlyArray<Field>, set: ReadonlySet<Field>): boolean =>
  fields.every((field) => set.has(field))

/**
 * The rows of a difference that only confirms one attachment and puts its SIM into service; null
 * for any other one.
 */
const provisionedOf = ({ attachments, sim, subscriptions }: Difference): Provisioned | null => {
  const { allocation, iccid, organizationId, version } = sim.row
  const [attachment] = attachments.changed
  const [subscription] = subscriptions.changed
  const isServed = allocation !== undefined && Sim.isInService({ allocation })
  const subscriptionId = isServed ? Sim.holder(allocation) : null
  if (attachment === undefined || subscriptionId === null || attachments.changed.length > 1) return null
  const apart = [attachments.added, attachments.removed, subscriptions.added, subscriptions.removed]
  if (apart.some(({ length }) => length > 0)) return null
  const { attachmentId, confirmed } = attachment.row
  const isConfirmed = confirmed && attachment.fields.every((field) => field === "confirmed")
  const isLive = subscription === undefined || Subscription.isLive(subscription.row)
  if (!isConfirmed || !isLive || sim.fields.some((field) => field !== "allocation")) return null
  return { organizationId, iccid, version, subscriptionId, attachmentId }
}

const isCorrection = (field: SimField): boolean => field === "label" || field === "lpa" || field === "tags"

const identityFields = new Set<SimField>(identities)

/**
 * The row of a SIM that is corrected; null if it is not, or is of a view without what corrections
 * write.
 */
const correctedOf = ({ fields, row }: Difference["sim"], encrypt: Secrets.Turn): Corrected | null => {
  const { iccid, label, lpa = null, organizationId, tags } = row
  if (label === undefined || tags === undefined || !fields.some(isCorrection)) return null
  const isNewCode = fields.includes("lpa")
  const sim = isNewCode ? Secrets.ofSim(encrypt)({ organizationId, iccid, lpa }) : { lpa: null }
  return { ...stateOf(row), label, lpa: sim.lpa, tags: SimsStatements.listColumnOf(tags), isNewCode }
}

/** The row of a SIM whose purchase changes; null if none does, or it is of a view without it. */
const purchasedOf = ({ fields, row }: Difference["sim"], encrypt: Secrets.Turn): Purchased | null => {
  const { iccid, imsi = null, label, lpa = null, msisdn = null, organizationId, purchase, subscriberId = null } = row
  const { tags } = row
  const isOther = fields.some((field) => identityFields.has(field))
  if (purchase === undefined || label === undefined || tags === undefined) return null
  if (!isOther && !fields.includes("purchase")) return null
  const isNewCode = fields.includes("lpa")
  const sim = isNewCode ? Secrets.ofSim(encrypt)({ organizationId, iccid, lpa }) : { lpa: null }
  const kept = { label, lpa: sim.lpa, tags: SimsStatements.listColumnOf(tags), purchase, isNewCode, isOther }
  return { ...stateOf(row), imsi, msisdn, subscriberId, ...kept }
}

type Writing = Pick<Database, "cipher" | "isDistributed">

/** The SIMs by the statement that writes them. */
const simClauses = (
  sql: Sql,
  sims: ReadonlyArray<Difference["sim"]>,
  confirmed: ReadonlyArray<Provisioned>,
  { cipher: { encrypt }, isDistributed }: Writing
): ReadonlyArray<Columns.Clause> => {
  const isUse = sims.some(({ fields }) => fields.length > 0 && isWithin(fields, reportedFields))
  let isReported = false
  const rows = {
    touched: [] as State[],
    used: [] as State[],
    allocated: [] as State[],
    updated: [] as State[],
    corrected: [] as Corrected[],
    purchased: [] as Purchased[]
  }
  for (const sim of sims) {
    const { fields, row: given } = sim
    const row = stateOf(given)
    const purchased = purchasedOf(sim, encrypt)
    const corrected = purchased === null ? correctedOf(sim, encrypt) : null
    if (purchased !== null) rows.purchased.push(purchased)
    else if (corrected !== null) rows.corrected.push(corrected)
    else if (fields.length === 0) {
      // A SIM that stays as it is goes along with those that were used, if its view has what that
      // statement writes.
      rows[isUse && row.lastActivityAt !== undefined ? "used" : "touched"].push(row)
    } else if (isWithin(fields, reportedFields)) {
      rows.used.push(row)
      if (!isWithin(fields, usageFields)) isReported = true
    } else rows[isWithin(fields, allocationFields) ? "allocated" : "updated"].push(row)
  }
  const { allocated, corrected, purchased, touched, updated, used } = rows
  const kinds = [touched, used, allocated, updated, corrected, purchased, confirmed].filter(({ length }) => length > 0)
  return [
    ...(kinds.length > 1 ? locks(sql, kinds.flat(), isDistributed) : []),
    ...some(sql, purchased, purchase),
    ...some(sql, corrected, correct),
    ...some(sql, updated, update),
    ...some(sql, allocated, allocate),
    ...some(sql, touched, touch),
    ...some(sql, confirmed, provision),
    ...some(sql, used, isReported ? report : use)
  ]
}

const some = <A>(sql: Sql, rows: ReadonlyArray<A>, write: Columns.Write<A>): ReadonlyArray<Columns.Clause> =>
  rows.length === 0 ? [] : [write(sql, rows)]

interface Clauses {
  /** The SIMs themselves, which guard the commit. */
  readonly sims: ReadonlyArray<Columns.Clause>
  /** The rows that hang on them. */
  readonly rows: ReadonlyArray<Columns.Clause>
}

/** The clauses of changes: each difference by the statement for the columns that it changes. */
export const clauses = (sql: Sql, changes: ReadonlyArray<SimDifference.SimChange>, writing: Writing): Clauses => {
  if (changes.length === 0) return { sims: [], rows: [] }
  const sims: Array<Difference["sim"]> = []
  const confirmed: Array<Provisioned> = []
  const subscriptions = {
    added: [] as Subscription.Subscription[],
    changed: [] as Subscription.Subscription[],
    removed: [] as Subscription.Subscription[]
  }
  const attachments = {
    added: [] as Attachment.Attachment[],
    changed: [] as SimDifference.AttachmentState[],
    removed: [] as SimDifference.AttachmentState[]
  }
  const packages = { added: [] as Package.Package[], changed: [] as Package.Package[] }
  let [isNotified, isUsage] = [true, true]
  const moved = { subscriptions: [] as Subscription.Subscription[], attachments: [] as Attachment.Attachment[] }
  const { arriving, leaving } = SimDifference.moves(changes)
  for (const change of changes) {
    const found = SimDifference.difference(change)
    if (leaving.has(change)) {
      sims.push(found.sim)
      continue
    }
    if (arriving.has(change)) {
      sims.push(found.sim)
      moved.subscriptions.push(...found.subscriptions.added)
      moved.attachments.push(...found.attachments.added)
      packages.changed.push(...found.packages.added)
      isUsage = false
      continue
    }
    packages.added.push(...found.packages.added)
    for (const { fields, row } of found.packages.changed) {
      packages.changed.push(row)
      isUsage &&= isWithin(fields, packageUsage)
    }
    const provisioned = provisionedOf(found)
    if (provisioned !== null) {
      confirmed.push(provisioned)
      continue
    }
    sims.push(found.sim)
    subscriptions.added.push(...found.subscriptions.added)
    for (const { row } of found.subscriptions.changed) subscriptions.changed.push(row)
    subscriptions.removed.push(...found.subscriptions.removed)
    attachments.added.push(...found.attachments.added)
    for (const { fields, row } of found.attachments.changed) {
      attachments.changed.push(row)
      isNotified &&= isWithin(fields, notifiedFields)
    }
    attachments.removed.push(...found.attachments.removed)
  }
  return {
    sims: simClauses(sql, sims, confirmed, writing),
    rows: [
      ...some(sql, subscriptions.added, addSubscriptions),
      ...some(sql, subscriptions.changed, changeStatus),
      ...some(sql, attachments.added, addAttachments),
      ...some(sql, attachments.changed, isNotified ? notifyAttachments : updateAttachments),
      ...some(sql, packages.added, addPackages),
      ...some(sql, packages.changed, isUsage ? usePackages : updatePackages),
      ...some(sql, moved.subscriptions, moveSubscriptions),
      ...some(sql, moved.attachments, moveAttachments),
      ...some(sql, subscriptions.removed, removeSubscriptions),
      ...some(sql, attachments.removed, removeAttachments)
    ]
  }
}
