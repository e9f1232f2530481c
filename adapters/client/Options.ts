/**
 * Which server a client calls, with which credentials, and how persistently.
 */
import { Context, Redacted } from "effect"

/** A secret may be given as text, or redacted so that it cannot be logged by accident. */
export type Secret = string | Redacted.Redacted

/** Whom the client talks to, and as whom. A call whose secret is absent is sent without one. */
export interface Options {
  /** The address of the server, such as `https://simplan.example.com`. */
  readonly url: string
  /** An API key of an organization, for `/v3`. */
  readonly key?: Secret | undefined
  /** The token of the management API. */
  readonly adminToken?: Secret | undefined
  /** The token of the telco's reports. */
  readonly telcoToken?: Secret | undefined
  /** How often a request is sent again; 4 times by default. */
  readonly retries?: number | undefined
}

/** The text of a secret. */
export const reveal = (secret: Secret): string => (typeof secret === "string" ? secret : Redacted.value(secret))

/** The `Idempotency-Key` of the calls below; a new one for each call where none is given. */
export const IdempotencyKey = Context.Reference<string | undefined>("simplan/client/IdempotencyKey", {
  defaultValue: () => undefined
})
