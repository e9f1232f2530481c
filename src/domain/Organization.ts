/**
 * Organizations: the tenants. Everything else belongs to exactly one.
 */
import { Result } from "effect"
import { InvalidField } from "./Refusal.ts"
import * as TextLimit from "./TextLimit.ts"
import type { Instant } from "./Time.ts"

/** A tenant: it owns API keys, SIMs, plans, subscriptions and endpoints, and sees no other's. */
export interface Organization {
  /** An id that never changes: no organization is ever deleted. */
  readonly organizationId: string
  /** 1 to 255 characters (rule W9). */
  readonly name: string
  /** Business time. */
  readonly createdAt: Instant
}

/**
 * A name without the space around it; an empty one is refused, and so is one over the limit
 * (rule W9).
 */
export const named = (name: string): Result.Result<string, InvalidField> => {
  const trimmed = name.trim()
  return trimmed === ""
    ? Result.fail(new InvalidField({ field: "name", message: "must not be empty" }))
    : TextLimit.check("name", trimmed, TextLimit.NAME)
}
