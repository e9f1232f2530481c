/** Printed from the views by `npm run print`: what hosts see and send. */
import type { InstantInput } from "../Calls.ts"
import type { OfOrganization } from "./Organizations.ts"

/** What was done. */
export type AuditAction =
  | "operator.create"
  | "operator.rotate"
  | "operator.set_role"
  | "operator.delete"
  | "session.create"
  | "session.delete"
  | "organization.create"
  | "api_key.create"
  | "api_key.revoke"
  | "api_key.rotate"
  | "webhook_endpoint.create"
  | "webhook_endpoint.update"
  | "webhook_endpoint.delete"
  | "webhook_endpoint.rotate_key"
  | "webhook_endpoint.test"
  | "delivery.replay"
  | "plan.create"
  | "plan.archive"
  | "plan.unarchive"
  | "plan.set_bundle"
  | "plan.set_price"
  | "plan.delete"
  | "coverage_profile.create"
  | "coverage_profile.set_zone"
  | "sim.import"
  | "sim.set_label"
  | "sim.set_activation_code"
  | "sim.set_tags"
  | "sim.withdraw"
  | "sim.restore"
  | "sim.return"
  | "sim.apply_mobile_plan"
  | "sim.remove_mobile_plan"
  | "sim.send_sms"
  | "sim.report"
  | "sim.show_activation_code"
  | "sim.note"
  | "sim.set_stock_levels"
  | "subscription.create"
  | "subscription.delete"
  | "subscription.replace"
  | "subscription.pause"
  | "subscription.resume"
  | "plan_attachment.create"
  | "plan_attachment.suspend"
  | "job.retry"
  | "problem.retry"
  | "problem.resolve"
  | "problem.correct"
  | "command.cancel"
  | "event_handler.remove"
  | "event_handler.replay"
  | "telco.compare"
  | "catalogue.replace"
  | "clock.advance"

/** What a change has made of a field. */
export interface FieldChange {
  /** The field, in words. */
  readonly field: string
  /** What it was, in words, up to 300 characters; null: there was nothing. */
  readonly before: string | null
  /** What it became, in words. */
  readonly after: string | null
}

/** Who changed what. */
export interface AuditEntry extends OfOrganization {
  /** The entry's id. */
  readonly auditEntryId: string
  /** When it was made. */
  readonly createdAt: Date
  /**
   * The id of the API key, or the name of the operator, `bootstrap` for who has the server's token;
   * `telco` for the telco; else as the host says, or `host`.
   */
  readonly actor: string
  /** What was done. */
  readonly action: AuditAction
  /** The kind of resource. */
  readonly resourceType: string
  /** That of a SIM is its ICCID. */
  readonly resourceId: string
  /** The SIM that the change is about, if it is about one. */
  readonly iccid: string | null
  /** The caller's network address. */
  readonly address: string | null
  /** The `X-Request-Id` of the answer. */
  readonly requestId: string | null
  /** What the change has made of fields; nothing if its action says all. */
  readonly changed: ReadonlyArray<FieldChange>
  /** The `X-Audit-Log-Reason` of the request, decoded; null where it had none. */
  readonly reason: string | null
}

/** A note on a SIM. */
export interface NoteOnSim extends OfOrganization {
  /** The SIM that it is about. */
  readonly iccid: string
  /** What whoever sees to the SIM next has to know. */
  readonly note: string
}

/** A note that the history of its SIM has. */
export interface SimNote {
  /** The SIM that it is about. */
  readonly iccid: string
  /** What whoever sees to the SIM next has to know. */
  readonly note: string
}

/** Which changes that belong to no organization a list has. An absent field filters nothing. */
export interface ServiceAuditFilter {
  /** Only entries from this instant on. */
  readonly from?: InstantInput | undefined
  /** Only entries before this instant. */
  readonly to?: InstantInput | undefined
  /** Only changes by this API key or operator, or by `bootstrap`, `telco` or `host`, in any case. */
  readonly actor?: string | undefined
  /** Only changes of this kind. */
  readonly action?: AuditAction | undefined
  /** Only changes of the resource with this id, or of the SIM with this ICCID. */
  readonly resourceId?: string | undefined
}

/** Which audit entries a list has. An absent field filters nothing. */
export interface AuditFilter extends ServiceAuditFilter {
  /**
   * The organization whose changes they are. Null: the changes that belong to none, such as those of
   * the catalogue, of a virtual clock and of handlers.
   */
  readonly organizationId: string | null
}
