/**
 * Whom the claims of an identity provider name (rule W14). What is absent, null, empty or malformed
 * binds to nothing: whoever has it is refused, and does not see more than others. The ID token goes
 * before the user's information, claim by claim.
 *
 * A renewal never has a session see more than before, whichever claims come without which.
 */
import { Result } from "effect"
import { Id, Operator, TextLimit } from "simplan/ports"
import type * as Sessions from "./Sessions.ts"

/** Which claims are read. Dots in their names lead into objects. */
export interface Names {
  /**
   * The claim with the role, or with a list that has it. The highest role counts. It has to be
   * there.
   */
  readonly roleClaim: string
  /**
   * The claim with the only organization that the operator sees, or `*` for all. Absent, if that is
   * allowed: all.
   */
  readonly organizationClaim: string
  /**
   * The claim with the name that audit entries have, after `oidc:`. Absent, if that is allowed: the
   * subject.
   */
  readonly nameClaim: string
  /** Those of these claims that have to be there, beside that of the role. */
  readonly requiredClaims?: ReadonlyArray<string> | undefined
}

/** What the provider says, in one place. */
export type Claims = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Claims => typeof value === "object" && value !== null

const own = (claims: Claims, name: string): unknown => (Object.hasOwn(claims, name) ? claims[name] : undefined)

const within = (claims: Claims, path: string): unknown =>
  // A claim whose name has dots comes first: some providers name theirs by URLs.
  Object.hasOwn(claims, path)
    ? claims[path]
    : path.split(".").reduce<unknown>((value, name) => (isRecord(value) ? own(value, name) : undefined), claims)

/** The claim in the first place that has it; undefined if none has. */
const find = (places: ReadonlyArray<Claims>, path: string): unknown =>
  places.map((claims) => within(claims, path)).find((value) => value !== undefined)

/**
 * Providers that verify e-mail addresses and phone numbers say so beside them (OpenID Connect,
 * section 5.1), and of no other that stands elsewhere.
 */
const verified = (nameClaim: string): string => `${nameClaim}_verified`

/** Whether the claims are all there, so that the user's information adds nothing. */
export const areComplete = (claims: Claims, { nameClaim, organizationClaim, roleClaim }: Names): boolean =>
  [roleClaim, organizationClaim, nameClaim, verified(nameClaim)].every((path) => within(claims, path) !== undefined)

/** Whether a place says which role somebody has. */
export const haveRole = (claims: Claims, { roleClaim }: Names): boolean => within(claims, roleClaim) !== undefined

/** The organization that stands for all of them. */
const ALL = "*"

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** A text that says something, which storages keep and people can read. */
const isPlain = (value: unknown, limit: number): value is string =>
  typeof value === "string" &&
  value.trim() === value &&
  value !== "" &&
  TextLimit.isWithin(value, limit) &&
  TextLimit.isStorable(value) &&
  !INVISIBLE.test(value)

/** Whom the claims name; the failure says which claim does not, and never what it has. */
export const operatorOf = (
  places: ReadonlyArray<Claims>,
  { nameClaim, organizationClaim, requiredClaims = [], roleClaim }: Names
): Result.Result<Sessions.Identity, string> => {
  const missing = requiredClaims.find((path) => find(places, path) === undefined)
  if (missing !== undefined) return Result.fail(`the claim ${missing} is not there`)
  const given = find(places, roleClaim)
  const roles: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
  const role = Operator.roles.findLast((one) => roles.includes(one))
  if (role === undefined || !roles.every((one) => typeof one === "string"))
    return Result.fail(`the claim ${roleClaim} has no role`)
  const { organization = ALL } = { organization: find(places, organizationClaim) }
  if (!isPlain(organization, TextLimit.ID)) return Result.fail(`the claim ${organizationClaim} is no organization`)
  const named = find(places, nameClaim)
  const verifying = places.filter((claims) => within(claims, verified(nameClaim)) !== undefined)
  if (!verifying.every((claims) => within(claims, verified(nameClaim)) === true))
    return Result.fail(`the claim ${verified(nameClaim)} is not true`)
  if (verifying.length > 0 && !verifying.some((claims) => within(claims, nameClaim) === named))
    return Result.fail(`the claim ${verified(nameClaim)} is not about the claim ${nameClaim}`)
  const name = named === undefined ? find(places, "sub") : named
  if (!isPlain(name, TextLimit.NAME - Operator.OPEN_ID.length)) return Result.fail(`the claim ${nameClaim} is no name`)
  return Result.succeed({
    name: `${Operator.OPEN_ID}${name}`,
    role,
    organizationId: organization === ALL ? null : Id.canonical(organization)
  })
}

/**
 * How somebody goes on whom a sign-in has named: by the same name, and by what the claims name now.
 * Another organization takes another sign-in, and so do all of them. `mayRise`: whether the role
 * may be a higher one.
 */
export const renewed = (
  before: Sessions.Identity,
  { organizationId, role }: Sessions.Identity,
  mayRise: boolean
): Result.Result<Sessions.Identity, string> =>
  before.organizationId === null || before.organizationId === organizationId
    ? Result.succeed({
        name: before.name,
        role: mayRise || Operator.allows(before.role, role) ? role : before.role,
        organizationId
      })
    : Result.fail("it was bound to another organization before")
