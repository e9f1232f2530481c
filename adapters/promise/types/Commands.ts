/**
 * Commands: what was asked of the telco inside transactions of the host, and what became of it (rule H1).
 */
import type { ErrorCode } from "../errors/Errors.ts"
import type { CallOptions, OfOrganization, PagedList } from "./Calls.ts"

/** The methods that submit a command inside a transaction. */
export type CommandMethod = "subscriptions.create" | "messages.send" | "wallet.setMobilePlan"

/** `pending` until it is carried out; then `done`, or `refused`. One that was cancelled is `refused`. */
export type CommandState = "pending" | "done" | "refused"

/** A command as it stands. */
export interface Command extends OfOrganization {
  /** The id that the call inside of the transaction has given. */
  readonly id: string
  /** The method that was called there. */
  readonly method: CommandMethod
  /** That of the creation; null for a command that has none. */
  readonly metadata: string | null
  /** What has become of it. */
  readonly state: CommandState
  /** The code of the refusal, such as `no_free_esim`; `command_cancelled` where it was cancelled. Null if it was not refused. */
  readonly code: ErrorCode | null
  /** Why it was refused, for people; null if it was not. */
  readonly message: string | null
  /** When it was submitted. */
  readonly createdAt: Date
  /** When its outcome was known; null while it is pending. */
  readonly settledAt: Date | null
}

/** Which commands are listed. */
export interface ListCommands extends OfOrganization {
  /** All by default. */
  readonly state?: CommandState | undefined
}

/** The commands that calls inside of transactions have submitted. They are kept for 30 days after they were settled. */
export interface Commands {
  /** The commands of an organization, oldest first. */
  readonly list: (of: ListCommands, options?: CallOptions) => PagedList<Command>
  /** The command as it stands. Errors: `InvalidFieldError`, `NotFoundError`. */
  readonly get: (id: string, options?: CallOptions) => Promise<Command>
  /**
   * Cancels a command of which no attempt has begun: nothing is done, `settled` rejects with a `CommandCancelledError`, and
   * a `command.refused` is published. Again, it changes nothing.
   *
   * Errors: `CommandBegunError` once an attempt has begun, `InvalidFieldError`, `NotFoundError`.
   */
  readonly cancel: (id: string, options?: CallOptions) => Promise<void>
}
