/**
 * API keys: `simplan_` + 43 characters of secret + 6 of checksum, `[A-Za-z0-9_]` only (rule W3).
 *
 * The prefix makes a leaked key recognizable to scanners, the checksum distinguishes a mistyped one
 * from an unknown one without a look-up. Only a hash of a key is ever stored.
 */
import { Result } from "effect"
import { InvalidField, NotFound } from "./Refusal.ts"
import { HOUR, type Instant } from "./Time.ts"

/** What a key may do: everything, or only what changes nothing. */
export const scopes = ["full", "read"] as const

/** What the key may do. */
export type Scope = (typeof scopes)[number]

/** A key as it is stored: its hash, never its secret (rule W3). */
export interface ApiKey {
  /** The organization that owns it. */
  readonly organizationId: string
  /** Names the key in lists and in audit entries; it is no secret. */
  readonly apiKeyId: string
  /** The organization's own, 1 to 255 characters (rule W9). */
  readonly name: string
  /** A `read` key is refused whatever changes something. */
  readonly scope: Scope
  /** SHA-256 of the key, in lower-case hex. */
  readonly hash: string
  /** The last characters of the key, by which a person distinguishes it from others. */
  readonly hint: string
  /** The hash of the secret before, which goes on for a while; null if there is none. */
  readonly previousHash: string | null
  /** From this instant on the secret before is refused; null if there is none. */
  readonly previousUntil: Instant | null
  /** Business time. */
  readonly createdAt: Instant
  /** From this instant on the key is refused. Null: it does not expire. */
  readonly expiresAt: Instant | null
  /** Null while the key is valid. A revocation is for good. */
  readonly revokedAt: Instant | null
  /**
   * When it was last used, as far as is stored; null: never. A commit does not write it: the
   * storage is given the uses.
   */
  readonly lastUsedAt: Instant | null
  /** Rises by one with each commit that writes it; 0 while it is not stored. */
  readonly version: number
}

/** The stored part of a key's text. */
export type Secret = Pick<ApiKey, "hash" | "hint">

/** That a key was used. */
export interface Use extends Pick<ApiKey, "organizationId" | "apiKeyId"> {
  /** Business time. */
  readonly at: Instant
}

/** The secrets that something has: its own, and for a while the one before. */
type Secrets = Pick<ApiKey, "hash" | "previousHash" | "previousUntil" | "expiresAt">

/** Refuses an expiry that is not after `now`; null: it never expires. */
export const checkExpiry = (expiresAt: Instant | null, now: Instant): Result.Result<void, InvalidField> =>
  expiresAt === null || now < expiresAt
    ? Result.succeed(undefined)
    : Result.fail(new InvalidField({ field: "expiresAt", message: "must be in the future" }))

/** A new key; an expiry that is not after `now` is refused. */
export const make = (
  key: Secret & Pick<ApiKey, "organizationId" | "apiKeyId" | "name" | "scope" | "expiresAt">,
  now: Instant
): Result.Result<ApiKey, InvalidField> =>
  Result.map(checkExpiry(key.expiresAt, now), () => ({
    ...key,
    previousHash: null,
    previousUntil: null,
    createdAt: now,
    revokedAt: null,
    lastUsedAt: null,
    version: 0
  }))

/**
 * Rule W3: the key is refused from `now` on. Revoked again, it keeps the instant of the first time.
 */
export const revoked = (key: ApiKey, now: Instant): ApiKey => ({ ...key, revokedAt: key.revokedAt ?? now })

/**
 * The secrets after a new one. The one before goes on for `overlap` ms, with 0 not at all; the one
 * before that ends.
 */
export const replaced = (
  { hash }: Pick<Secrets, "hash">,
  next: Secret,
  overlap: number,
  now: Instant
): Secret & Pick<Secrets, "previousHash" | "previousUntil"> => ({
  hash: next.hash,
  hint: next.hint,
  previousHash: overlap === 0 ? null : hash,
  previousUntil: overlap === 0 ? null : now + overlap
})

/**
 * Whether the secret with the hash is good at `now`, of what is still there; it ends at the very
 * instant named.
 */
export const isGood = (
  { expiresAt, hash, previousHash, previousUntil }: Secrets,
  now: Instant,
  asked: string
): boolean => {
  if (expiresAt !== null && now >= expiresAt) return false
  return asked === hash || (asked === previousHash && previousUntil !== null && now < previousUntil)
}

/** For how many hours at most the secret before goes on. */
export const LONGEST_OVERLAP_HOURS = 720

/**
 * Rule W3: the key with another secret. The one before goes on for that many hours, for none it is
 * refused at once; the one before that ends. A revoked key is not found. Name, scope and expiry
 * stay.
 */
export const rotated = (
  key: ApiKey,
  secret: Secret,
  overlapHours: number,
  now: Instant
): Result.Result<ApiKey, InvalidField | NotFound> => {
  if (!Number.isInteger(overlapHours) || overlapHours < 0 || overlapHours > LONGEST_OVERLAP_HOURS) {
    const message = `must be a whole number of 0 to ${LONGEST_OVERLAP_HOURS}`
    return Result.fail(new InvalidField({ field: "overlapHours", message }))
  }
  if (key.revokedAt !== null) return Result.fail(new NotFound({ resource: "api key", id: key.apiKeyId }))
  return Result.succeed({ ...key, ...replaced(key, secret, overlapHours * HOUR, now) })
}

/**
 * Whether the secret with the hash is good at `now`: neither revoked nor ended; it ends at the very
 * instant named.
 */
export const isValid = (key: ApiKey, now: Instant, hash: string): boolean =>
  key.revokedAt === null && isGood(key, now, hash)

const PREFIX = "simplan_"
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const SECRET_LENGTH = 43
const CHECKSUM_LENGTH = 6

const base62 = (value: bigint, length: number): string => {
  let rest = value
  let text = ""
  while (text.length < length) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  return text
}

// CRC-32 as of ISO 3309, bit by bit: keys are short.
const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let index = 0; index < text.length; index++) {
    crc ^= text.charCodeAt(index)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

const checksum = (secret: string): string => base62(BigInt(crc32(secret)), CHECKSUM_LENGTH)

/** The key made from 32 random bytes. */
export const fromRandom = (random: Uint8Array): string => {
  const value = random.slice(0, 32).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  const secret = base62(value, SECRET_LENGTH)
  return PREFIX + secret + checksum(secret)
}

/** Whether the text can be a key: its prefix, length, alphabet and checksum are right. */
export const isWellFormed = (text: string): boolean => {
  if (!text.startsWith(PREFIX) || text.length !== PREFIX.length + SECRET_LENGTH + CHECKSUM_LENGTH) return false
  const secret = text.slice(PREFIX.length, -CHECKSUM_LENGTH)
  return /^[0-9A-Za-z]+$/.test(secret) && text.endsWith(checksum(secret))
}

/** The part of a key that may be shown. */
export const hint = (key: string): string => key.slice(-4)
