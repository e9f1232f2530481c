/**
 * The webhook sender port: one signed HTTP POST (rules W6 and W7). The sender follows no redirect, and gives up
 * after 15 s.
 */
import { Context, Data, type Effect } from "effect"
import type { Instant } from "../domain/Time.ts"

/** No response came: the reason is for a person to read. */
export class SendFailed extends Data.TaggedError("SendFailed")<{ readonly message: string }> {}

export interface WebhookCall {
  readonly url: string
  readonly eventId: string
  readonly body: string
  /** The machine's time of the attempt, which the signature tells. */
  readonly at: Instant
  /** The keys to sign with, newest first. */
  readonly signingKeys: ReadonlyArray<string>
}

export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    readonly send: (call: WebhookCall) => Effect.Effect<{ readonly status: number }, SendFailed>
  }
>()("simplan/WebhookSender") {}
