/** Printed from the views by `npm run print`: what hosts see and send. */

/** What holds, for programs. */
export type VerdictCode =
  | "free"
  | "withdrawn"
  | "replaced"
  | "provisioning"
  | "releasing"
  | "installation_failed"
  | "profile_deleted"
  | "paused"
  | "resuming"
  | "profile_disabled"
  | "works"
  | "throttled"
  | "waits_for_first_use"
  | "telco_refused"
  | "telco_unavailable"
  | "waits_for_order"
  | "data_used"
  | "waits_for_start"
  | "suspended"
  | "over"
  | "no_plan"

/** What to do next, for programs. */
export type NextStep =
  | "none"
  | "check_phone"
  | "install_esim"
  | "switch_on"
  | "top_up"
  | "resume"
  | "move"
  | "sell"
  | "restore"
  | "open_new_sim"
  | "wait"
  | "retry_jobs"
  | "see_problems"

/** What holds of a SIM, and what to do next. */
export interface VerdictReason {
  /** What holds, for programs. */
  readonly code: VerdictCode
  /** The same for people, in whole sentences, the last of which is what to do next. */
  readonly message: string
  /** What to do next, for programs. */
  readonly nextStep: NextStep
  /**
   * Since when it is so, until when it works, or when it goes on; null: at no instant that is known.
   */
  readonly at: Date | null
  /** The attachment that it is about; null: it is about none. */
  readonly attachmentId: string | null
  /** The ICCID of the SIM that its subscription has moved to; null: of none. */
  readonly movedTo: string | null
}

/** Why a SIM works or does not. */
export interface Verdict {
  /**
   * Whether a phone with the SIM has data now, as far as the service knows; null: the telco has not
   * confirmed what it was asked for.
   */
  readonly works: boolean | null
  /** Why it works or does not, and what to do next. */
  readonly reason: VerdictReason
}
