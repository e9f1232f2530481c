/**
 * The webhook sender port: one signed HTTP POST (rules W6 and W7). The sender follows no redirect, and gives up
 * after 15 s. What one organization's receiver answers is never taken for the answer to another organization's call.
 */
import { Context, Data, type Effect } from "effect"
import type { Instant } from "../domain/Time.ts"

/** No response came: the reason is for a person to read. */
export class SendFailed extends Data.TaggedError("SendFailed")<{ readonly message: string }> {}

export interface WebhookCall {
  /** Whose call it is: organizations share no connection. */
  readonly organizationId: string
  readonly url: string
  readonly eventId: string
  readonly body: string
  /** The machine's time of the attempt, which the signature tells. */
  readonly at: Instant
  /** The keys to sign with, newest first. */
  readonly signingKeys: ReadonlyArray<string>
}

/** How many bytes of a response's body an answer has at most. */
export const BODY_BYTES = 1024

export interface WebhookAnswer {
  readonly status: number
  /** From the call to the head of the response; absent where it was not measured. */
  readonly durationMillis?: number
  /**
   * The first `BODY_BYTES` of the response's body as text, as far as they came within 1 s of the head. Bytes that are no
   * UTF-8 are replaced by U+FFFD.
   */
  readonly body?: string
}

export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    readonly send: (call: WebhookCall) => Effect.Effect<WebhookAnswer, SendFailed>
  }
>()("simplan/WebhookSender") {}
