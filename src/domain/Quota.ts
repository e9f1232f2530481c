/**
 * How much of a kind an organization may have (rule W13). What is listed, searched or claimed by
 * organization costs no more for one that has all that it may have. The operator of the service
 * sets the numbers.
 */
import { Result } from "effect"
import { QuotaExceeded } from "./Refusal.ts"

/**
 * What counts. `plans`: archived ones too, but not deleted ones. `regions`: custom ones, which are
 * there for good. `webhookEndpoints`: disabled ones too, but not deleted ones. `apiKeys`: expired
 * ones too, but not revoked ones.
 */
export const kinds = ["plans", "regions", "webhookEndpoints", "apiKeys"] as const

/** A kind of which an organization has a quota. */
export type Kind = (typeof kinds)[number]

/** The largest number of each kind. */
export type Quotas = Readonly<Record<Kind, number>>

/**
 * What a server allows that is not set otherwise. A search through so many plans takes a few
 * milliseconds.
 */
export const defaults: Quotas = { plans: 20_000, regions: 1_000, webhookEndpoints: 100, apiKeys: 1_000 }

/** Refuses another one if the organization has `count` of them already. */
export const check = (quotas: Quotas, kind: Kind, count: number): Result.Result<void, QuotaExceeded> =>
  count < quotas[kind] ? Result.void : Result.fail(new QuotaExceeded({ kind, quota: quotas[kind] }))
