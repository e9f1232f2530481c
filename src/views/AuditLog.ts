/**
 * Who changed what, as hosts and callers see it (rules W11 and W12).
 */
import * as Rules from "../domain/AuditEntry.ts"
import * as TextLimit from "../domain/TextLimit.ts"
import { OfOrganization } from "./Organizations.ts"
import * as Samples from "./Samples.ts"
import * as View from "./View.ts"

const { field, instant, list, nested, nullOr, optional, text } = View

const action = View.oneOf(Rules.actions, "AuditAction")

export const FieldChange = View.answer("FieldChange", "What a change has made of a field", {
  field: field(text, "The field, in words", "event types"),
  before: field(nullOr(text), "What it was, in words, up to 300 characters; null: there was nothing", "all"),
  after: field(nullOr(text), "What it became, in words", "stock.low")
})

export const AuditEntry = View.answer(
  "AuditEntry",
  "Who changed what",
  {
    auditEntryId: View.named({ from: "entryId" }, field(text, "The entry's id", Samples.auditId)),
    createdAt: field(instant, "When it was made", Samples.bought),
    actor: field(
      text,
      "The id of the API key, or the name of the operator, `bootstrap` for who has the server's token; `telco` for the telco; else as the host says, or `host`"
    ),
    action: field(action, "What was done", "subscription.create"),
    resourceType: field(text, "The kind of resource", "subscription"),
    resourceId: field(text, "That of a SIM is its ICCID", Samples.subscriptionId),
    iccid: field(nullOr(text), "The SIM that the change is about, if it is about one", Samples.iccid),
    address: field(nullOr(text), "The caller's network address", "192.0.2.7"),
    requestId: field(nullOr(text), "The `X-Request-Id` of the answer", Samples.requestId),
    changed: field(list(nested(FieldChange)), "What the change has made of fields; nothing if its action says all"),
    reason: field(
      nullOr(text),
      "The `X-Audit-Log-Reason` of the request, decoded; null where it had none",
      Samples.reason
    )
  },
  OfOrganization
)

export const entryOf = (entry: Rules.AuditEntry): View.Of<typeof AuditEntry> => ({
  ...entry,
  changed: entry.changed ?? [],
  resourceType: Rules.resourceType(entry.action)
})

const iccid = field(View.iccid, "The SIM that it is about", Samples.iccid)
const note = field(
  View.limited(TextLimit.REASON),
  "What whoever sees to the SIM next has to know",
  "The customer has two phones"
)

export const NoteOnSim = View.request("NoteOnSim", "A note on a SIM", { iccid, note }, OfOrganization)

export const SimNote = View.answer("SimNote", "A note that the history of its SIM has", { iccid, note })

const filter = {
  from: optional(instant, "Only entries from this instant on", Samples.start),
  to: optional(instant, "Only entries before this instant", Samples.end),
  actor: optional(
    text,
    "Only changes by this API key or operator, or by `bootstrap`, `telco` or `host`, in any case",
    "Ada"
  ),
  action: optional(action, "Only changes of this kind", "subscription.create"),
  resourceId: optional(
    View.resource,
    "Only changes of the resource with this id, or of the SIM with this ICCID",
    Samples.subscriptionId
  )
}

export const ServiceAuditFilter = View.request(
  "ServiceAuditFilter",
  "Which changes that belong to no organization a list has. An absent field filters nothing",
  filter
)

export const AuditFilter = View.request(
  "AuditFilter",
  "Which audit entries a list has. An absent field filters nothing",
  {
    organizationId: View.named(
      { on: null },
      field(
        nullOr(View.id),
        "The organization whose changes they are. Null: the changes that belong to none, such as those of the catalogue, of a virtual clock and of handlers"
      )
    )
  },
  ServiceAuditFilter
)

/** The filter as the log takes it. */
export const queryOf = ({
  organizationId,
  ...asked
}: View.Of<typeof ServiceAuditFilter> & { readonly organizationId?: string | null }) => ({
  from: null,
  to: null,
  actor: null,
  action: null,
  resourceId: null,
  ...asked,
  organizationId: organizationId ?? Rules.SERVICE
})
