/**
 * The views that reports need, column by column (see `SimRows`): one row for each package that the reports can touch, and
 * one where there is none. PostgreSQL makes it in half of the time that nested values take, at a third of the length.
 */
import type { Package, SimAggregate, Storage } from "simplan/ports"

type Attachment = SimAggregate.AttachmentForReports["attachment"]
type Sim = SimAggregate.ForReports["sim"]

/** Of one row; from the attachment's id on null where there is none, and from the occurrence on likewise. */
type PackedRow = readonly [
  at: number,
  organizationId: string,
  isEsim: boolean,
  downloaded: boolean,
  smdp: Sim["smdp"],
  location: Sim["location"],
  lastActivityAt: number | null,
  version: number,
  seen: ReadonlyArray<string> | null,
  attachmentId: string | null,
  planId: string,
  createdAt: number,
  anchor: number | null,
  suspendedAt: number | null,
  lastThresholdNotified: number,
  dataMegaBytes: number,
  periodDays: number,
  recurrence: Attachment["terms"]["recurrence"],
  occurrence: number | null,
  telcoPackageId: string | null,
  activationAt: number | null,
  expirationAt: number | null,
  usedBytes: number
]

const columns = (seen: string): ReadonlyArray<string> => [
  "r.at",
  ...["organization_id", "is_esim", "downloaded", "smdp", "location", "last_activity_at", "version"].map(
    (name) => `sim.${name}`
  ),
  seen,
  ...["attachment_id", "plan_id", "created_at", "anchor", "suspended_at", "last_threshold_notified"].map(
    (name) => `attachment.${name}`
  ),
  ...["dataMegaBytes", "periodDays", "recurrence"].map((name) => `attachment.terms -> '${name}'`),
  ...["occurrence", "telco_package_id", "activation_at", "expiration_at", "used_bytes"].map((name) => `package.${name}`)
]

type Columns<Row extends ReadonlyArray<unknown>> = { readonly [Name in keyof Row]: ReadonlyArray<Row[Name]> }

/** Null: there is no SIM. */
export type Packed = Columns<PackedRow> | null

/** All of the rows; `seen` is the report ids that a SIM's organization has seen. */
export const value = (seen: string): string => `
  case when count(*) > 0 then
    json_build_array(${columns(seen)
      .map((column) => `array_agg(${column})`)
      .join(", ")})
  end`

interface Unpacked {
  readonly aggregate: {
    readonly sim: Sim
    readonly attachments: Array<{ readonly attachment: Attachment; readonly packages: Array<Package.Package> }>
  }
  readonly seen: ReadonlyArray<string>
}

const isBefore = (left: Attachment, right: Attachment): boolean =>
  left.createdAt < right.createdAt || (left.createdAt === right.createdAt && left.attachmentId < right.attachmentId)

// Rows come in no order: each is put in its place, which is nearly always the end.
const placed = <A>(values: Array<A>, value: A, isAfter: (other: A) => boolean): void => {
  let at = values.length
  for (let other = values[at - 1]; other !== undefined && isAfter(other); other = values[at - 1]) at--
  if (at === values.length) values.push(value)
  else values.splice(at, 0, value)
}

const NONE: ReadonlyArray<string> = []

/** The aggregates that were packed, of these ICCIDs. */
export const unpack = (iccids: ReadonlyArray<string>, packed: Packed): ReadonlyArray<Storage.Reported> => {
  if (packed === null) return []
  const [ats, organizationIds, areEsims, downloads, smdps, locations, activities, versions, seens, ...more] = packed
  const [attachmentIds, planIds, createdAts, anchors, suspensions, notified, megaBytes, periods, recurrences, ...rest] =
    more
  const [occurrences, telcoPackageIds, activations, expirations, used] = rest
  const aggregates = new Map<number, Unpacked>()
  // One string for all who have the same.
  let organizationId = ""
  ats.forEach((at, row) => {
    const iccid = iccids[at] ?? ""
    let of = aggregates.get(at)
    if (of === undefined) {
      if (organizationIds[row] !== organizationId) organizationId = organizationIds[row] ?? ""
      const sim = {
        organizationId,
        iccid,
        isEsim: areEsims[row] ?? false,
        downloaded: downloads[row] ?? false,
        smdp: smdps[row] ?? null,
        location: locations[row] ?? null,
        lastActivityAt: activities[row] ?? null,
        version: versions[row] ?? 0
      }
      of = { aggregate: { sim, attachments: [] }, seen: seens[row] ?? NONE }
      aggregates.set(at, of)
    }
    const attachmentId = attachmentIds[row] ?? null
    if (attachmentId === null) return
    const { attachments } = of.aggregate
    let known = attachments.find(({ attachment }) => attachment.attachmentId === attachmentId)
    if (known === undefined) {
      const attachment = {
        organizationId,
        iccid,
        attachmentId,
        planId: planIds[row] ?? "",
        createdAt: createdAts[row] ?? 0,
        confirmed: true,
        anchor: anchors[row] ?? null,
        suspendedAt: suspensions[row] ?? null,
        lastThresholdNotified: notified[row] ?? 0,
        terms: {
          dataMegaBytes: megaBytes[row] ?? 0,
          periodDays: periods[row] ?? 0,
          recurrence: recurrences[row] ?? null
        }
      }
      known = { attachment, packages: [] }
      placed(attachments, known, (other) => isBefore(attachment, other.attachment))
    }
    const occurrence = occurrences[row] ?? null
    if (occurrence === null) return
    const pack: Package.Package = {
      organizationId,
      iccid,
      attachmentId,
      occurrence,
      status: "Created",
      telcoPackageId: telcoPackageIds[row] ?? null,
      activationAt: activations[row] ?? null,
      expirationAt: expirations[row] ?? null,
      usedBytes: used[row] ?? 0
    }
    placed(known.packages, pack, (other) => other.occurrence > occurrence)
  })
  return [...aggregates.values()]
}
