/**
 * The webhook sender port: one signed HTTP POST (rules W6 and W7). The sender follows no redirect,
 * and gives up after 15 s. What one organization's receiver answers is never taken for the answer
 * to another organization's call.
 */
import { Context, Data, type Effect } from "effect"
import type { Instant } from "../domain/Time.ts"

/** No response came: the reason is for a person to read. */
export class SendFailed extends Data.TaggedError("SendFailed")<{
  /** What went wrong; the log of attempts keeps it. */
  readonly message: string
}> {}

/** One attempt of a delivery. */
export interface WebhookCall {
  /** Whose call it is: organizations share no connection. */
  readonly organizationId: string
  /** The endpoint's. */
  readonly url: string
  /** For the headers, by which receivers recognize repetitions. */
  readonly eventId: string
  /** Compact JSON; what is signed (rules W5 and W6). */
  readonly body: string
  /** The machine's time of the attempt, which the signature contains. */
  readonly at: Instant
  /** The keys to sign with, newest first. */
  readonly signingKeys: ReadonlyArray<string>
}

/** How many bytes of a response's body an answer has at most. */
export const BODY_BYTES = 1024

/** What the endpoint answered. */
export interface WebhookAnswer {
  /** The status of HTTP: 2xx is success, 410 disables the endpoint (rule W7). */
  readonly status: number
  /** From the call to the head of the response; absent if it was not measured. */
  readonly durationMillis?: number
  /**
   * In how many seconds the endpoint asks to be called again, by `Retry-After`; absent if it
   * does not ask (rule W7).
   */
  readonly retryAfterSeconds?: number
  /**
   * The first `BODY_BYTES` of the response's body as text, as far as they came within 1 s of the
   * head. Bytes that are no UTF-8 are replaced by U+FFFD.
   */
  readonly body?: string
}

/** The port that calls endpoints. */
export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /**
     * Sends once. Fails with `SendFailed` if no answer came in time; any answer is a success of the
     * call.
     */
    readonly send: (call: WebhookCall) => Effect.Effect<WebhookAnswer, SendFailed>
  }
>()("simplan/WebhookSender") {}
