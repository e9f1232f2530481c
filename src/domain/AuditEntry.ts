/**
 * Audit entries: who changed what, when, from which address and under which request id (rule W11).
 *
 * A commit carries the entry of the change that it makes, so that there is no change without its
 * entry, and no entry of a change that was refused, replayed, or made no difference.
 */
import { isId } from "./Id.ts"
import { folded } from "./SimSearch.ts"
import type { Instant } from "./Time.ts"

/** What can be done. The part before the dot is the type of the resource. */
export const actions = [
  "operator.create",
  "operator.rotate",
  "operator.set_role",
  "operator.delete",
  "session.create",
  "session.delete",
  "organization.create",
  "api_key.create",
  "api_key.revoke",
  "api_key.rotate",
  "webhook_endpoint.create",
  "webhook_endpoint.update",
  "webhook_endpoint.delete",
  "webhook_endpoint.rotate_key",
  "webhook_endpoint.test",
  "delivery.replay",
  "plan.create",
  "plan.archive",
  "plan.unarchive",
  "plan.set_bundle",
  "plan.set_price",
  "plan.delete",
  "coverage_profile.create",
  "coverage_profile.set_zone",
  "sim.import",
  "sim.set_label",
  "sim.set_activation_code",
  "sim.set_tags",
  "sim.withdraw",
  "sim.restore",
  "sim.return",
  "sim.apply_mobile_plan",
  "sim.remove_mobile_plan",
  "sim.send_sms",
  "sim.report",
  "sim.show_activation_code",
  "sim.note",
  "sim.set_stock_levels",
  "subscription.create",
  "subscription.delete",
  "subscription.replace",
  "subscription.pause",
  "subscription.resume",
  "plan_attachment.create",
  "plan_attachment.suspend",
  "job.retry",
  "problem.retry",
  "problem.resolve",
  "problem.correct",
  "command.cancel",
  "event_handler.remove",
  "event_handler.replay",
  "telco.compare",
  "catalogue.replace",
  "clock.advance"
] as const

/**
 * Stands for an organization's id in entries of changes that belong to none, such as those of the
 * catalogue.
 */
export const SERVICE = "*"

/** The actor of changes by a host that embeds the services and names nobody else. */
export const HOST = "host"

/** The actor of what the telco reports. */
export const TELCO = "telco"

/** What an organization is shown in place of an operator's name. */
export const OPERATOR = "the operator of the service"

/**
 * Rule W11: an actor as an organization is shown it. Names of operators, and e-mail addresses in
 * them, are not its business: it is shown the ids of its keys, `self`, which is the caller, and who
 * has no name. Null: nobody is known.
 */
export const shownToOrganization = (actor: string | null, self: string | null): string | null =>
  actor === null || actor === self || actor === HOST || actor === TELCO || isId(actor) ? actor : OPERATOR

/** What was done, such as `plan.create`. */
export type Action = (typeof actions)[number]

/** Where a change comes from. */
export interface Origin {
  /**
   * The id of the API key, or the name of the operator, `bootstrap` for who has the server's token;
   * `telco` for who has that of the telco; `HOST` for a host that embeds the services.
   */
  readonly actor: string
  /** The network address of the caller; null if it is unknown. */
  readonly address: string | null
  /** Null: no request, but work of the service itself or of a host. */
  readonly requestId: string | null
  /** Why, in the words of the caller; absent if nothing was said. */
  readonly reason?: string | null
}

/** What a change has made of a field. */
export interface FieldChange {
  /** In words, such as `event types`. */
  readonly field: string
  /** In words, and without what opens something. Null: there was nothing. */
  readonly before: string | null
  /** As `before`. */
  readonly after: string | null
}

/** What a resource has in the words of the audit log, by its fields. */
export type Facts = Readonly<Record<string, string | null>>

/** So many characters of a fact are kept. */
const FACT = 300

const cut = (fact: string | null | undefined): string | null =>
  fact === null || fact === undefined ? null : fact.length > FACT ? `${fact.slice(0, FACT)}…` : fact

/** Rule W11: the fields that differ, in their order. */
export const differences = (before: Facts, after: Facts): ReadonlyArray<FieldChange> =>
  Object.keys({ ...before, ...after })
    .filter((field) => (before[field] ?? null) !== (after[field] ?? null))
    .map((field) => ({ field, before: cut(before[field]), after: cut(after[field]) }))

/** Such as "role: read → admin". */
export const inWords = ({ after, before, field }: FieldChange): string => `${field}: ${before ?? "–"} → ${after ?? "–"}`

/** All of them in one line. */
export const allInWords = (changed: ReadonlyArray<FieldChange>): string => changed.map(inWords).join("; ")

/** A change, recorded by the commit that makes it. */
export interface Change {
  /** The organization that owns it; `SERVICE` if none does. */
  readonly organizationId: string
  /** What was done to the resource. */
  readonly action: Action
  /**
   * The id of what is changed. That of a SIM is its ICCID, that of an import its own, that of an
   * advance the instant.
   */
  readonly resourceId: string
  /** The SIM that the change is about; null if it is about none, or many. */
  readonly iccid: string | null
  /** What it has made of fields; absent if its action says all. */
  readonly changed?: ReadonlyArray<FieldChange>
}

/**
 * A change as the log keeps it, for a year unless set otherwise, and then until its month is over
 * (rule W12).
 */
export interface AuditEntry extends Omit<Change, "changed">, Origin {
  /** Names it in its organization. */
  readonly entryId: string
  /** What it has made of fields; null if its action says all. */
  readonly changed: ReadonlyArray<FieldChange> | null
  /** Why, in the words of the caller; null if nothing was said. */
  readonly reason: string | null
  /** Business time. */
  readonly createdAt: Instant
}

/** Which entries a list has; null filters nothing. */
export interface Filter {
  /** Entries from this instant on. */
  readonly from: Instant | null
  /** Entries before this instant. */
  readonly to: Instant | null
  /** In any case of its letters, by its first 64 characters. Null: whoever. */
  readonly actor: string | null
  /** Null: whatever. An unknown one finds nothing. */
  readonly action: string | null
  /** The id of the resource, or the ICCID of the SIM that the change is about. */
  readonly resourceId: string | null
}

/** Whether a list with this filter has the entry. */
export const isAsked = (entry: AuditEntry, { action, actor, from, resourceId, to }: Filter): boolean =>
  (from === null || entry.createdAt >= from) &&
  (to === null || entry.createdAt < to) &&
  (actor === null || folded(entry.actor) === folded(actor)) &&
  (action === null || entry.action === action) &&
  (resourceId === null || entry.resourceId === resourceId || entry.iccid === resourceId)

/** The type of the resource that an action changes. */
export const resourceType = (action: Action): string => action.slice(0, action.indexOf("."))
