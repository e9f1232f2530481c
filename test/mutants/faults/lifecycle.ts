/**
 * Faults in what is notified of subscriptions, attachments and packages: E1.
 */
import { faultsOf } from "./Fault.ts"

export const lifecycle = faultsOf("Lifecycle.ts", "lifecycle", [
  ["E1", "the notice comes a day late", "expirationAt - NOTICE", "expirationAt"],
  [
    "E1",
    "the notice may come before the activation",
    "Math.max(activationAt, expirationAt - NOTICE)",
    "expirationAt - NOTICE"
  ],
  ["E1", "what is due now is notified later", "from <= at && at <= now)", "from <= at && at < now)"],
  ["E1", "what was notified before is notified again", "from <= at && ", ""],
  ["E1", "nothing follows the activation", "nextAt: all.find(({ at }) => at > now)?.at ?? null", "nextAt: null"],
  ["E1", "an unconfirmed attachment is notified", "of?.attachment.confirmed === true", "of !== undefined"],
  [
    "E1",
    "every change of an attachment notifies of its activation",
    "known !== undefined && milestones(known).length > 0",
    "false"
  ],
  ["E1", "a suspended attachment is followed on", "&& attachment.suspendedAt === null", ""],
  ["E1", "what was not notified before a suspension is dropped", "causes.push(...late(of), {", "causes.push({"],
  [
    "E1",
    "what was not notified before a deletion is dropped",
    ".filter(isFollowed).flatMap(late)",
    ".flatMap(() => NONE)"
  ],
  ["E1", "a deletion notifies late of a suspended attachment", "isFollowed(of) && (isDeleted", "(isDeleted"],
  ["E1", "a refused package is notified as created", 'Refused: "package.refused"', 'Refused: "package.created"'],
  ["E1", "a lapsed package is notified as created", "Lapsed: null", 'Lapsed: "package.created"'],
  ["E1", "every commit of packages notifies all of them", "|| type === stored.get(pack.occurrence)", ""],
  ["E1", "each change of a subscription notifies of its creation", 'to === "Live" && from !== "Live"', 'to === "Live"']
])
