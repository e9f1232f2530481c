/**
 * Operators: the people and programs that the management API takes requests from, each with a name,
 * a role and a token of its own (rule W14).
 *
 * A token has the form of an API key, and only its SHA-256 is stored. One that is replaced goes on
 * for a day, so that whoever uses it has the time to change.
 */
import { Result } from "effect"
import { checkExpiry, isGood, replaced, type Secret } from "./ApiKey.ts"
import { HOST, TELCO } from "./AuditEntry.ts"
import { isId } from "./Id.ts"
import { InvalidField, NotFound } from "./Refusal.ts"
import { DAY, type Instant } from "./Time.ts"

/** From the least to the most: each role may do what those before it may. */
export const roles = ["read", "support", "admin"] as const

/**
 * What an operator may do. `read`: nothing that changes anything. `support`: the day's tasks, such
 * as retries, replays and corrections. `admin`: what deletes, what touches more than `FEW` SIMs at
 * once, organizations, keys, endpoints, plans, the catalogue and operators as well.
 */
export type Role = (typeof roles)[number]

/** Up to how many SIMs at once are a task of the day (rule W14). */
export const FEW = 50

/** The least role for what is done to more than `FEW` SIMs at once (rule W14). */
export const ofMany: Role = "admin"

/** The least role for what deletes anything (rule W14). */
export const ofDeletion: Role = "admin"

/** Who acts, as far as what he may do and see depends on it. */
export interface Acting {
  /** What he may do. */
  readonly role: Role
  /** The only organization that exists for him; null: all of them, and what belongs to none. */
  readonly organizationId: string | null
}

/** An operator as it is stored: its token's hash, never the token (rule W14). */
export interface Operator extends Acting {
  /** Names it in paths; audit entries have its name. */
  readonly operatorId: string
  /** 1 to 255 characters (rule W9); unique among those that are not deleted. */
  readonly name: string
  /** SHA-256 of the token, in lower-case hex. */
  readonly hash: string
  /** The last characters of the token, by which a person distinguishes it from others. */
  readonly hint: string
  /** The hash of the token before; null if there is none. */
  readonly previousHash: string | null
  /** From this instant on the token before is refused; null if there is none. */
  readonly previousUntil: Instant | null
  /** Business time. */
  readonly createdAt: Instant
  /** From this instant on its tokens are refused. Null: they do not expire. */
  readonly expiresAt: Instant | null
  /** Null while it is there. A deletion is for good. */
  readonly deletedAt: Instant | null
  /** Rises by one with each commit that writes it; 0 while it is not stored. */
  readonly version: number
}

/** The name of whoever has the token that the server was started with. */
export const BOOTSTRAP = "bootstrap"

/**
 * What audit entries name others by (rule W11), or named whoever has the server's token in earlier
 * releases.
 */
const reserved: ReadonlySet<string> = new Set([BOOTSTRAP, "admin", "anyone", HOST, TELCO])

/** What names begin with that an identity provider has for its users. */
export const OPEN_ID = "oidc:"

/** How long a token that was replaced goes on. */
export const ROTATION_OVERLAP = DAY

/**
 * A new operator. A name that audit entries have for others, as API keys are named by their ids
 * there, is refused, and so is an expiry that is not after `now`.
 */
export const make = (
  operator: Secret & Pick<Operator, "operatorId" | "name" | "role" | "organizationId" | "expiresAt">,
  now: Instant
): Result.Result<Operator, InvalidField> => {
  const name = operator.name.trim().toLowerCase()
  if (reserved.has(name) || name.startsWith(OPEN_ID) || isId(name)) {
    const message = `must not be one of ${[...reserved].join(", ")}, must not begin with ${OPEN_ID}, and must be no id`
    return Result.fail(new InvalidField({ field: "name", message }))
  }
  return Result.map(checkExpiry(operator.expiresAt, now), () => ({
    ...operator,
    previousHash: null,
    previousUntil: null,
    createdAt: now,
    deletedAt: null,
    version: 0
  }))
}

/**
 * Rule W14: the operator's tokens are refused from `now` on. Deleted again, it keeps the instant of
 * the first time.
 */
export const deleted = (operator: Operator, now: Instant): Operator => ({
  ...operator,
  deletedAt: operator.deletedAt ?? now
})

/**
 * Rule W14: the operator with another token. The one before goes on for 24 h, and the one before
 * that ends. A deleted operator is not found. Name, role, organization and expiry stay.
 */
export const rotated = (operator: Operator, secret: Secret, now: Instant): Result.Result<Operator, NotFound> =>
  operator.deletedAt === null
    ? Result.succeed({ ...operator, ...replaced(operator, secret, ROTATION_OVERLAP, now) })
    : Result.fail(new NotFound({ resource: "operator", id: operator.operatorId }))

/**
 * Rule W14: the operator with another role. Its tokens and sessions go on. A deleted operator is
 * not found.
 */
export const withRole = (operator: Operator, role: Role): Result.Result<Operator, NotFound> =>
  operator.deletedAt === null
    ? Result.succeed({ ...operator, role })
    : Result.fail(new NotFound({ resource: "operator", id: operator.operatorId }))

/** Whether the token with the hash is good at `now`; it ends at the very instant named. */
export const isValid = (operator: Operator, now: Instant, hash: string): boolean =>
  operator.deletedAt === null && isGood(operator, now, hash)

/** When the token with the hash ends, of those that the operator has; null: it does not. */
export const endOf = ({ expiresAt, previousHash, previousUntil }: Operator, hash: string): Instant | null => {
  if (hash !== previousHash || previousUntil === null) return expiresAt
  return expiresAt === null ? previousUntil : Math.min(expiresAt, previousUntil)
}

/** Whether a role allows what takes `least`. */
export const allows = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least)

/** Up to how many SIMs the role may change at once; null: any number (rule W14). */
export const mostAtOnce = (role: Role): number | null => (allows(role, ofMany) ? null : FEW)

/** Whether the organization exists for whoever acts. */
export const sees = (acting: Acting, organizationId: string): boolean =>
  acting.organizationId === null || acting.organizationId === organizationId
