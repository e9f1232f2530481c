/** Why a SIM works or does not, in a sentence (rules L2 and S7). */

/** A reason, whose message has all but when the telco is asked again. */
export interface Reason {
  readonly code: string
  readonly message: string
  readonly at?: string
  readonly next_try_at?: string
}

export interface Attachment {
  readonly state: string
  readonly expiration_at: string | null
  readonly reason: Reason | null
  readonly plan: { readonly name: string }
}

/** What is known of a SIM. */
export interface Known {
  readonly status: string
  readonly withdrawn_reason: string | null
  readonly used: boolean
  /** Null if no subscription has the SIM. */
  readonly subscription: { readonly paused_at: string | null } | null
  readonly attachments: ReadonlyArray<Attachment>
}

export interface Verdict {
  readonly works: boolean
  readonly sentence: string
  /** The name of the plan that the sentence is about; null if it is about none. */
  readonly plan: string | null
}

const minute = (at: string): string => `${at.slice(0, 16).replace("T", " ")} UTC`

const why = ({ message, next_try_at }: Reason): string =>
  next_try_at === undefined ? `${message}.` : `${message}. It is asked again at ${minute(next_try_at)}.`

/** What has ended for good explains less than what is still to come. */
const ENDED = ["over", "suspended"]

const withoutSubscription = ({ status, used, withdrawn_reason }: Known): string => {
  if (status === "withdrawn") {
    return `It is withdrawn${withdrawn_reason === null ? "" : ` (${withdrawn_reason})`}, and no subscription gets it.`
  }
  return used ? "A creation or a deletion of its subscription is under way." : "It is free: no subscription has it."
}

export const of = (known: Known): Verdict => {
  const { attachments, subscription } = known
  if (subscription === null) return { works: false, sentence: withoutSubscription(known), plan: null }
  if (subscription.paused_at !== null) {
    const sentence = `It has no service: its subscription is paused since ${minute(subscription.paused_at)}.`
    return { works: false, sentence, plan: null }
  }
  const serving = attachments.find(({ reason }) => reason === null)
  if (serving !== undefined) {
    const until = serving.expiration_at === null ? "" : ` until ${minute(serving.expiration_at)}`
    return { works: true, sentence: `It works${until}.`, plan: serving.plan.name }
  }
  const [last] = attachments.slice(-1)
  if (last === undefined)
    return { works: false, sentence: "It has no service: its subscription has no plan.", plan: null }
  const cause = attachments.find(({ reason }) => reason !== null && !ENDED.includes(reason.code)) ?? last
  const reason = cause.reason === null ? "" : ` ${why(cause.reason)}`
  return { works: false, sentence: `It has no service now.${reason}`, plan: cause.plan.name }
}
