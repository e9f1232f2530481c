/**
 * The reads of SIM aggregates: a SIM with its present subscription, that one's attachments and
 * their packages, nested in SQL as JSON arrays without names (see `SimsStatements`). The rows of an
 * aggregate have its organization, ICCID and subscription.
 */
import { Effect } from "effect"
import type { Attachment, Package, Sim, SimAggregate, Storage } from "simplan/ports"
import type { Database, Row } from "../../database/Database.ts"
import * as Batching from "../../database/Batching.ts"
import * as Secrets from "../../encryption/Secrets.ts"
import * as Columns from "../../sql/Columns.ts"
import * as SimsStatements from "./SimsStatements.ts"
import * as SubscriptionsStatements from "./SubscriptionsStatements.ts"

/** All columns of an attachment. */
export const attachmentColumns = Columns.of<Attachment.Attachment>(
  {
    organizationId: "text",
    attachmentId: "text",
    subscriptionId: "text",
    iccid: "text",
    planId: "text",
    terms: "jsonb",
    activePeriod: "jsonb",
    metadata: "text",
    createdAt: "bigint",
    confirmed: "boolean",
    anchor: "bigint",
    suspendedAt: "bigint",
    lastThresholdNotified: "integer",
    replacements: "integer"
  },
  ["organizationId", "attachmentId"]
)

/** All columns of a package. */
export const packageColumns = Columns.of<Package.Package>(
  {
    organizationId: "text",
    attachmentId: "text",
    occurrence: "integer",
    iccid: "text",
    status: "text",
    refusal: "text",
    telcoPackageId: "text",
    activationAt: "bigint",
    expirationAt: "bigint",
    usedBytes: "bigint",
    replacement: "jsonb"
  },
  ["organizationId", "attachmentId", "occurrence"]
)

const ofSubscription = Columns.omit(SubscriptionsStatements.columns, ["organizationId", "iccid"])
const ofAttachments = Columns.omit(attachmentColumns, ["organizationId", "subscriptionId", "iccid"])
const ofPackages = Columns.omit(packageColumns, ["organizationId", "attachmentId", "iccid"])

type PackedPackages = ReadonlyArray<Columns.PackedOf<typeof ofPackages>> | null

type PackedAttachments = ReadonlyArray<
  readonly [attachment: Columns.PackedOf<typeof ofAttachments>, packages: PackedPackages]
> | null

type Packed = readonly [
  organizationId: string,
  sim: SimsStatements.Packed,
  subscription: Columns.PackedOf<typeof ofSubscription> | null,
  attachments: PackedAttachments
]

/**
 * Those packages of `attachment` that pass the filter. Of the organization that was asked for,
 * which may be a parameter: what is nested learns nothing of it from the rows around.
 */
const packages = (filter: string): string => `(
  select json_agg(
    ${Columns.packed("package", ofPackages)}
    order by package.occurrence
  )
  from simplan.package
  where package.organization_id = r."organizationId"
    and package.attachment_id = attachment.attachment_id and ${filter}
)`

const attachmentsValue = (filter: string): string => `
    (
      select json_agg(
        json_build_array(${Columns.packed("attachment", ofAttachments)}, ${packages("true")})
        order by attachment.created_at, attachment.attachment_id
      )
      from simplan.attachment
      where attachment.organization_id = r."organizationId"
        and attachment.subscription_id = subscription.subscription_id and ${filter}
    )`

/** The aggregate of `sim` and its `subscription`, with those attachments that pass the filter. */
const value = (filter: string): string => `
  json_build_array(
    sim.organization_id,
    ${SimsStatements.value},
    case when subscription.subscription_id is not null then
      ${Columns.packed("subscription", ofSubscription)}
    end,
    ${attachmentsValue(filter)}
  )`

/**
 * Since when `sim` is paused, and those attachments of `subscription` that pass the filter, with
 * all of their packages.
 */
const attachments = (filter: string): string =>
  `json_build_array(sim.paused_at, subscription.subscription_id, ${attachmentsValue(filter)})`

type PackedNamed = readonly [pausedAt: number | null, subscriptionId: string, attachments: PackedAttachments]

type Of = Pick<Attachment.Attachment, "organizationId" | "iccid">

const inSubscription = Columns.places(ofSubscription)
const inAttachment = Columns.places(ofAttachments)
const inPackage = Columns.places(ofPackages)

/** The packages of an attachment that were packed; null: there is none. */
const unpackPackages = (
  { iccid, organizationId }: Of,
  attachmentId: string,
  packed: PackedPackages
): ReadonlyArray<Package.Package> =>
  (packed ?? []).map((one) => ({
    organizationId,
    iccid,
    attachmentId,
    occurrence: one[inPackage.occurrence],
    status: one[inPackage.status],
    refusal: one[inPackage.refusal],
    telcoPackageId: one[inPackage.telcoPackageId],
    activationAt: one[inPackage.activationAt],
    expirationAt: one[inPackage.expirationAt],
    usedBytes: one[inPackage.usedBytes],
    replacement: one[inPackage.replacement]
  }))

/** The attachments that were packed; null: there is none. */
const unpackAttachments = (
  of: Of,
  subscriptionId: string,
  packed: PackedAttachments
): ReadonlyArray<Attachment.WithPackages> =>
  (packed ?? []).map(([values, packages]) => {
    const { iccid, organizationId } = of
    const attachment = {
      organizationId,
      iccid,
      subscriptionId,
      attachmentId: values[inAttachment.attachmentId],
      planId: values[inAttachment.planId],
      terms: values[inAttachment.terms],
      activePeriod: values[inAttachment.activePeriod],
      metadata: values[inAttachment.metadata],
      createdAt: values[inAttachment.createdAt],
      confirmed: values[inAttachment.confirmed],
      anchor: values[inAttachment.anchor],
      suspendedAt: values[inAttachment.suspendedAt],
      lastThresholdNotified: values[inAttachment.lastThresholdNotified],
      replacements: values[inAttachment.replacements]
    }
    return { attachment, packages: unpackPackages(of, attachment.attachmentId, packages) }
  })

/** The aggregate that was packed. */
const unpack = (
  decrypt: Secrets.Turn,
  [organizationId, packedSim, packedSubscription, attachments]: Packed
): SimAggregate.SimAggregate => {
  const sim = SimsStatements.unpack(decrypt, organizationId, packedSim)
  if (packedSubscription === null) return { sim, subscription: null, attachments: [] }
  const place = { organizationId, iccid: sim.iccid }
  const subscription = {
    organizationId,
    iccid: sim.iccid,
    subscriptionId: packedSubscription[inSubscription.subscriptionId],
    metadata: packedSubscription[inSubscription.metadata],
    createdAt: packedSubscription[inSubscription.createdAt],
    status: packedSubscription[inSubscription.status]
  }
  return { sim, subscription, attachments: unpackAttachments(place, subscription.subscriptionId, attachments) }
}

const present = `
  left join simplan.subscription on subscription.organization_id = sim.organization_id
    and subscription.iccid = sim.iccid and subscription.status <> 'Deleted'`

const whole = value("true")

/** The aggregate of one ICCID. */
export const byIccid = (database: Database) => {
  const packed = Batching.reads<Batching.OfSim, Packed>(
    database,
    (sql, asked) => sql<Row<Batching.Found<Packed>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(whole)})::text as value
      from ${Columns.rows(sql, asked, SimsStatements.ofSim)}
      join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid
      ${sql.literal(present)}`
  )
  const { decrypt } = database.cipher
  return (of: Batching.OfSim) =>
    Secrets.decoded(packed(of), (found) => (found === null ? null : unpack(decrypt, found)))
}

interface OfAttachment extends Batching.OfSim {
  readonly attachmentId: string
}

const requestedAttachments = Columns.of<Batching.Placed<OfAttachment>>({
  at: "integer",
  organizationId: "text",
  iccid: "text",
  attachmentId: "text"
})

const withOne = value('attachment.attachment_id = r."attachmentId"')

/** The aggregate of one ICCID without its other attachments. */
export const ofAttachment = (database: Database) => {
  const packed = Batching.reads<OfAttachment, Packed>(
    database,
    (sql, asked) => sql<Row<Batching.Found<Packed>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(withOne)})::text as value
      from ${Columns.rows(sql, asked, requestedAttachments)}
      join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid
      ${sql.literal(present)}`
  )
  const { decrypt } = database.cipher
  return (of: OfAttachment) => Secrets.decoded(packed(of), (found) => (found === null ? null : unpack(decrypt, found)))
}

/** Whose SIM an ICCID is. */
export const owner = (database: Database) => (iccid: string) =>
  database.row(
    (sql) => sql<Row<Pick<Sim.Sim, "organizationId" | "label">>>`
      with owned as materialized (
        select iccid.organization_id, iccid.iccid from simplan.iccid where iccid.iccid = ${iccid}
      )
      select json_build_object('organizationId', sim.organization_id, 'label', sim.label)::text as value
      from owned
      join simplan.sim on sim.organization_id = owned.organization_id and sim.iccid = owned.iccid`
  )

interface OfOccurrence extends Batching.OfSim {
  readonly attachmentId: string
  readonly occurrence: number
}

const requestedOccurrences = Columns.of<Batching.Placed<OfOccurrence>>({
  at: "integer",
  occurrence: "integer",
  organizationId: "text",
  iccid: "text",
  attachmentId: "text"
})

type PackedOccurrence = readonly [
  simVersion: number,
  terms: Attachment.Attachment["terms"],
  confirmed: boolean,
  anchor: number | null,
  suspendedAt: number | null,
  lastThresholdNotified: number,
  replacements: number,
  packages: PackedPackages
]

const ofOccurrence = `json_build_array(
  sim.version, attachment.terms, attachment.confirmed, attachment.anchor, attachment.suspended_at,
  attachment.last_threshold_notified, attachment.replacements, ${packages("package.occurrence = r.occurrence")}
)`

/** The view for an occurrence. */
export const occurrence = (database: Database) => {
  const packed = Batching.reads<OfOccurrence, PackedOccurrence>(
    database,
    (sql, asked) => sql<Row<Batching.Found<PackedOccurrence>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(ofOccurrence)})::text as value
      from ${Columns.rows(sql, asked, requestedOccurrences)}
      join simplan.attachment on attachment.organization_id = r."organizationId"
        and attachment.attachment_id = r."attachmentId" and attachment.iccid = r.iccid
      join simplan.subscription on subscription.organization_id = attachment.organization_id
        and subscription.subscription_id = attachment.subscription_id and subscription.status <> 'Deleted'
      join simplan.sim on sim.organization_id = attachment.organization_id and sim.iccid = attachment.iccid`
  )
  return (of: OfOccurrence) =>
    Effect.map(packed(of), (found): SimAggregate.ForOccurrence | null => {
      if (found === null) return null
      const { attachmentId, iccid, organizationId } = of
      const [version, terms, confirmed, anchor, suspendedAt, lastThresholdNotified, replacements, packages] = found
      const sim = { organizationId, iccid, version }
      const state = { confirmed, anchor, suspendedAt, lastThresholdNotified, replacements }
      return {
        sim,
        attachments: [
          {
            attachment: { organizationId, iccid, attachmentId, terms, ...state },
            packages: unpackPackages(of, attachmentId, packages)
          }
        ]
      }
    })
}

interface OfNamed extends Batching.OfSim {
  readonly id: string | null
}

const requestedNames = Columns.of<Batching.Placed<OfNamed>>({
  at: "integer",
  organizationId: "text",
  iccid: "text",
  id: "text"
})

const named = attachments("(r.id is null or attachment.attachment_id = r.id or attachment.plan_id = r.id)")

/** The attachments of the live subscription of one ICCID, all of them or those of one name. */
export const attachmentsOf = (database: Database) => {
  const packed = Batching.reads<OfNamed, PackedNamed>(
    database,
    (sql, asked) => sql<Row<Batching.Found<PackedNamed>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(named)})::text as value
      from ${Columns.rows(sql, asked, requestedNames)}
      join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid
      join simplan.subscription on subscription.organization_id = sim.organization_id
        and subscription.iccid = sim.iccid and subscription.status <> 'Deleted'
      where subscription.status = 'Live'`
  )
  return ({ id, ...of }: Batching.OfSim & { readonly id?: string | undefined }) =>
    Effect.map(packed({ ...of, id: id ?? null }), (found): Storage.LiveAttachments | null => {
      if (found === null) return null
      const [pausedAt, subscriptionId, attachments] = found
      return { pausedAt, attachments: unpackAttachments(of, subscriptionId, attachments) }
    })
}
