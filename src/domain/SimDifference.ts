/**
 * What a decision changes in a SIM's aggregate: the difference between the loaded aggregate and the
 * next one.
 *
 * Rows are matched by their keys and compared by their values. Ids, terms, metadata, periods and
 * times of creation never change: they are written once, with the row. A package is removed only
 * with its attachment. An attachment is removed with its subscription, or alone. Only a
 * subscription that moves to another SIM (rule S8) takes its rows along: two changes of one commit,
 * of which the one removes it and the other adds it to a SIM that had none.
 */
import type { Attachment } from "./Attachment.ts"
import type { Package } from "./Package.ts"
import type { PlanTerms } from "./Plan.ts"
import type { Sim } from "./Sim.ts"
import type { SimAggregate } from "./SimAggregate.ts"
import { isDeleted, type Subscription } from "./Subscription.ts"

const simFields = [
  "label",
  "lpa",
  "allocation",
  "recycledAt",
  "movedTo",
  "moves",
  "tags",
  "downloaded",
  "smdp",
  "location",
  "lastActivityAt",
  "mobilePlan",
  "service",
  "purchase",
  "imsi",
  "msisdn",
  "subscriberId"
] as const
const subscriptionFields = ["status"] as const
const attachmentFields = ["confirmed", "anchor", "suspendedAt", "lastThresholdNotified"] as const
const packageFields = ["activationAt", "expirationAt", "usedBytes", "telcoPackageId", "refusal", "replacement"] as const

/** A field of a SIM that decisions may change. Its version rises beside them, with each change. */
export type SimField = (typeof simFields)[number]
/** A field of an attachment that decisions may change; the others are written once. */
export type AttachmentField = (typeof attachmentFields)[number]
/** A field of a package that decisions may change; the others are written once. */
export type PackageField = (typeof packageFields)[number]

/** A SIM's row, and the version that was loaded. */
export type SimKey = Pick<Sim, "organizationId" | "iccid" | "version">
/** An attachment's row: its key, what changes of it, and the terms that its queues follow from. */
export type AttachmentState = Pick<Attachment, "organizationId" | "attachmentId" | "replacements" | AttachmentField> & {
  readonly terms: Pick<PlanTerms, "periodDays" | "recurrence">
}

/** The aggregate or a view of it. What a view leaves out does not change. */
interface View {
  readonly sim: SimKey & Partial<Pick<Sim, SimField | "label">>
  readonly subscription?: Subscription | null
  readonly attachments?: ReadonlyArray<{
    readonly attachment: AttachmentState | Attachment
    readonly packages: ReadonlyArray<Package>
  }>
}

/**
 * A change of one SIM's aggregate, or of one view of it. The version of the loaded SIM guards the
 * change. It rises by one, even if nothing else changes.
 */
export interface SimChange {
  /** What the decision was made on. */
  readonly loaded: View
  /** What is to be stored: all of the aggregate, or the same view of it. */
  readonly next: View
}

/** A SIM's aggregate, as far as it names its parts. */
export interface Named {
  /** The SIM that it is of. */
  readonly sim: Pick<Sim, "iccid">
  /** Null: there is none. */
  readonly subscription: Subscription | null
  /** Those of the subscription. */
  readonly attachments: ReadonlyArray<{ readonly attachment: Pick<Attachment, "attachmentId" | "planId"> }>
}

/** A row that changes: its next state, and the fields that differ. */
export interface Changed<Row, Field> {
  /** Its next state. */
  readonly row: Row
  /** Those whose values differ; what an update has to set. */
  readonly fields: ReadonlyArray<Field>
}

/** The rows that a change adds, updates and removes. */
export interface Difference {
  /**
   * The next SIM, with the version that was loaded. It has no fields if nothing of the SIM changes.
   */
  readonly sim: Changed<View["sim"], SimField>
  /** A removed one is deleted with its attachments and their packages. */
  readonly subscriptions: {
    readonly added: ReadonlyArray<Subscription>
    readonly changed: ReadonlyArray<Changed<Subscription, "status">>
    readonly removed: ReadonlyArray<Subscription>
  }
  /** A removed one is deleted with its packages. */
  readonly attachments: {
    readonly added: ReadonlyArray<Attachment>
    readonly changed: ReadonlyArray<Changed<AttachmentState, AttachmentField>>
    readonly removed: ReadonlyArray<AttachmentState>
  }
  /** They go only with their attachment. */
  readonly packages: {
    readonly added: ReadonlyArray<Package>
    readonly changed: ReadonlyArray<Changed<Package, PackageField>>
  }
}

// The values are numbers, texts, or records or lists of them.
const isSame = (left: unknown, right: unknown): boolean => {
  if (left === right) return true
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false
  const values = new Map(Object.entries(right))
  const entries = Object.entries(left)
  return entries.length === values.size && entries.every(([name, value]) => isSame(values.get(name), value))
}

const NONE: ReadonlyArray<never> = []

const differing = <A, Field extends keyof A>(loaded: A, next: A, fields: ReadonlyArray<Field>): ReadonlyArray<Field> =>
  loaded === next ? NONE : fields.filter((field) => !isSame(loaded[field], next[field]))

const subscriptions = (loaded: Subscription | null, next: Subscription | null): Difference["subscriptions"] => {
  if (loaded === null || next === null || loaded.subscriptionId !== next.subscriptionId) {
    return { added: next === null ? NONE : [next], changed: NONE, removed: loaded === null ? NONE : [loaded] }
  }
  const fields = differing(loaded, next, subscriptionFields)
  return { added: NONE, changed: fields.length === 0 ? NONE : [{ row: next, fields }], removed: NONE }
}

// The attachments of a view are stored already.
const isWhole = (attachment: AttachmentState | Attachment): attachment is Attachment => "metadata" in attachment

type Attachments = NonNullable<View["attachments"]>

/**
 * What names the subscription and the plans of the next state; null if the change is one of a view.
 */
export const wholeOf = ({ next: { attachments = NONE, sim, subscription } }: SimChange): Named | null => {
  if (subscription === undefined) return null
  const named: Array<Named["attachments"][number]> = []
  for (const { attachment } of attachments) {
    if (!isWhole(attachment)) return null
    named.push({ attachment })
  }
  return { sim, subscription, attachments: named }
}

const attachments = (loaded: Attachments, next: Attachments): Pick<Difference, "attachments" | "packages"> => {
  const added: Array<Attachment> = []
  const changed: Array<Changed<AttachmentState, AttachmentField>> = []
  const packages = { added: [] as Package[], changed: [] as Changed<Package, PackageField>[] }
  const missing = new Map(loaded.map((of) => [of.attachment.attachmentId, of]))
  for (const { attachment, packages: all } of next) {
    const known = missing.get(attachment.attachmentId)
    missing.delete(attachment.attachmentId)
    if (known === undefined) {
      if (isWhole(attachment)) added.push(attachment)
    } else {
      const fields = differing<AttachmentState, AttachmentField>(known.attachment, attachment, attachmentFields)
      if (fields.length > 0) changed.push({ row: attachment, fields })
    }
    if (known?.packages === all) continue
    const stored = new Map(known?.packages.map((pack) => [pack.occurrence, pack]))
    for (const pack of all) {
      const before = stored.get(pack.occurrence)
      const fields = before === undefined ? NONE : differing(before, pack, packageFields)
      if (before === undefined) packages.added.push(pack)
      else if (fields.length > 0) packages.changed.push({ row: pack, fields })
    }
  }
  return {
    attachments: { added, changed, removed: [...missing.values()].map(({ attachment }) => attachment) },
    packages
  }
}

/** The difference of a change. */
export const difference = ({ loaded, next }: SimChange): Difference => {
  const { attachments: before = NONE, subscription = null } = loaded
  return {
    sim: {
      row: { ...next.sim, version: loaded.sim.version },
      fields: differing<View["sim"], SimField>(loaded.sim, next.sim, simFields)
    },
    subscriptions: subscriptions(subscription, next.subscription === undefined ? subscription : next.subscription),
    ...attachments(before, next.attachments ?? before)
  }
}

const NO_CHANGES: ReadonlySet<SimChange> = new Set()

/** The changes of one commit by which subscriptions move to other SIMs (rule S8). */
export interface Moves {
  /** Of the SIMs that are left; all rows that such a change removes stay, on the other SIM. */
  readonly leaving: ReadonlySet<SimChange>
  /** Of the SIMs that take them; all rows that such a change adds are there already. */
  readonly arriving: ReadonlySet<SimChange>
}

/** Which of the changes of a commit are moves. */
export const moves = (changes: ReadonlyArray<SimChange>): Moves => {
  const left = new Map<string, SimChange>()
  for (const change of changes) {
    const { loaded, next } = change
    if (next.subscription === null && loaded.subscription) left.set(loaded.subscription.subscriptionId, change)
  }
  if (left.size === 0) return { leaving: NO_CHANGES, arriving: NO_CHANGES }
  const leaving = new Set<SimChange>()
  const arriving = new Set<SimChange>()
  for (const change of changes) {
    const { loaded, next } = change
    const from = loaded.subscription || !next.subscription ? undefined : left.get(next.subscription.subscriptionId)
    if (from === undefined) continue
    leaving.add(from)
    arriving.add(change)
  }
  return { leaving, arriving }
}

const byCreation = (left: Attachment, right: Attachment): number =>
  left.createdAt - right.createdAt || (left.attachmentId < right.attachmentId ? -1 : 1)

const pick = <A, Field extends keyof A>(row: A, fields: ReadonlyArray<Field>): Partial<Pick<A, Field>> => {
  const picked: Partial<Pick<A, Field>> = {}
  for (const field of fields) picked[field] = row[field]
  return picked
}

/**
 * The aggregate that a storage has after it has written the difference. A deleted subscription is
 * not part of it.
 */
export const applied = (
  stored: SimAggregate,
  { attachments, packages, sim, subscriptions }: Difference
): SimAggregate => {
  const kept = subscriptions.removed.length > 0 ? null : stored.subscription
  const status = subscriptions.changed[0]?.row.status ?? kept?.status
  const subscription = subscriptions.added[0] ?? (kept === null || status === undefined ? null : { ...kept, status })
  const isPresent = subscription !== null && !isDeleted(subscription)
  const gone = new Set(attachments.removed.map(({ attachmentId }) => attachmentId))
  const changed = new Map(attachments.changed.map(({ fields, row }) => [row.attachmentId, pick(row, fields)]))
  const left = stored.attachments
    .filter(({ attachment }) => !gone.has(attachment.attachmentId))
    .map((of) => {
      const changes = changed.get(of.attachment.attachmentId)
      return changes === undefined ? of : { ...of, attachment: { ...of.attachment, ...changes } }
    })
  const added = attachments.added.map((attachment) => ({ attachment, packages: [] }))
  const all =
    added.length === 0 ? left : [...left, ...added].sort((one, other) => byCreation(one.attachment, other.attachment))
  return {
    sim: { ...stored.sim, ...pick(sim.row, sim.fields), version: sim.row.version + 1 },
    subscription: isPresent ? subscription : null,
    attachments: isPresent
      ? all.map((of) => {
          const next = withPackages(of.attachment.attachmentId, of.packages, packages)
          return next === of.packages ? of : { ...of, packages: next }
        })
      : []
  }
}

const withPackages = (
  attachmentId: string,
  stored: ReadonlyArray<Package>,
  { added, changed }: Difference["packages"]
): ReadonlyArray<Package> => {
  const news = added.filter((pack) => pack.attachmentId === attachmentId)
  const changes = changed.filter(({ row }) => row.attachmentId === attachmentId)
  if (news.length + changes.length === 0) return stored
  let next = stored
  // Most changes are of the latest occurrences.
  for (const { fields, row } of changes) {
    const at = next.findLastIndex(({ occurrence }) => occurrence === row.occurrence)
    const pack = next[at]
    if (pack !== undefined) next = next.with(at, { ...pack, ...pick(row, fields) })
  }
  for (const pack of news) {
    const before = next.findLastIndex(({ occurrence }) => occurrence < pack.occurrence)
    next = next.toSpliced(before + 1, 0, pack)
  }
  return next
}
