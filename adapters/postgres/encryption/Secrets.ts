/**
 * Which values are secrets, such as signing keys (rule W6), and how they are encrypted: the
 * statements of their columns encrypt what they write and decrypt what they read. Without a key
 * they are stored plain, and one that was encrypted nevertheless fails its read.
 *
 * Secrets are the signing keys and URLs of webhook endpoints, since a URL may have a token in its
 * path or query, and the activation codes of SIMs, which stand in the SIMs' rows and in the answers
 * to creations: those kept for their idempotency keys, and the outcomes of commands.
 *
 * Encryption is AES-256-GCM with a random nonce of 96 bits. An encrypted text is
 * `aes256gcm:<key id>:<nonce, ciphertext and tag in base64url>`. It is bound to its place, which is
 * the associated data: changed, or moved to another row or organization, it cannot be decrypted. A
 * text of any other form is plain, as it was stored before there was a key.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { Effect } from "effect"
import { type Idempotency, type Sim, Storage, type WebhookEndpoint } from "simplan/ports"
import type { SecretKey } from "./SecretKeys.ts"

/** What a text is, and of which row. */
export type Place = readonly [
  what: "activation code" | "signing key" | "URL" | "check value",
  organizationId: string | null,
  id: string
]

export interface Cipher {
  /** The text as it is stored: encrypted with the first key; plain if there is no key. */
  readonly encrypt: (text: string, place: Place) => string
  /** The text that was encrypted; a plain one as it is. Throws `Undecryptable`. */
  readonly decrypt: (stored: string, place: Place) => string
  /** Whether the text is stored as `encrypt` would have it now. */
  readonly isCurrent: (stored: string) => boolean
}

/** A text that no key opens at its place. The message names the place, and nothing of the text. */
export class Undecryptable extends Error {
  constructor([what, organizationId, id]: Place, reason: string) {
    super(`The ${what} of ${id}${organizationId === null ? "" : ` (organization ${organizationId})`} ${reason}`)
  }
}

const ALGORITHM = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16

const PREFIX = "aes256gcm:"
const FORM = /^aes256gcm:([0-9a-f]{16}):([A-Za-z0-9_-]+)$/

const associated = (place: Place): Buffer => Buffer.from(JSON.stringify(place))

const sealed = ({ id, key }: SecretKey, text: string, place: Place): string => {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(associated(place))
  const parts = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]
  return `${PREFIX}${id}:${Buffer.concat(parts).toString("base64url")}`
}

const opened = ({ key }: SecretKey, payload: string, place: Place): string | undefined => {
  const bytes = Buffer.from(payload, "base64url")
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
  const end = bytes.length - TAG_BYTES
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(associated(place)).setAuthTag(bytes.subarray(end))
  try {
    return decipher.update(bytes.subarray(NONCE_BYTES, end), undefined, "utf8") + decipher.final("utf8")
  } catch {
    return undefined
  }
}

/** The cipher of these keys, of which the first one encrypts. */
export const makeCipher = (keys: ReadonlyArray<SecretKey>): Cipher => {
  const [first] = keys
  const byId = new Map(keys.map((key) => [key.id, key]))
  return {
    encrypt: (text, place) => (first === undefined ? text : sealed(first, text, place)),
    decrypt: (stored, place) => {
      if (!stored.startsWith(PREFIX)) return stored
      const [, id, payload] = FORM.exec(stored) ?? []
      if (id === undefined || payload === undefined) return stored
      const key = byId.get(id)
      if (key === undefined) throw new Undecryptable(place, `is encrypted with the key ${id}, which is not there`)
      const text = opened(key, payload, place)
      if (text === undefined) throw new Undecryptable(place, "was changed, or moved here from another row")
      return text
    },
    isCurrent: (stored) => FORM.exec(stored)?.[1] === first?.id
  }
}

interface Opened {
  readonly place: Place
  readonly text: string
}

/** How many texts are remembered at least; at most twice as many are, some 3 MB. */
const KEPT = 4_096

const isSame = ([what, organizationId, id]: Place, other: Place): boolean =>
  id === other[2] && organizationId === other[1] && what === other[0]

/**
 * A cipher that remembers what it decrypted last, because signing keys are read with each delivery,
 * and opening a text costs more than the rest of its read. A text counts as known at its own place
 * alone.
 */
export const remembering = (cipher: Cipher): Cipher => {
  let recent = new Map<string, Opened>()
  let before = new Map<string, Opened>()

  const keep = (stored: string, opened: Opened): void => {
    if (recent.size >= KEPT) {
      before = recent
      recent = new Map()
    }
    recent.set(stored, opened)
  }

  return {
    ...cipher,
    decrypt: (stored, place) => {
      const inRecent = recent.get(stored)
      const known = inRecent ?? before.get(stored)
      if (known !== undefined && isSame(known.place, place)) {
        if (inRecent === undefined) keep(stored, known)
        return known.text
      }
      const text = cipher.decrypt(stored, place)
      if (text !== stored) keep(stored, { place, text })
      return text
    }
  }
}

/** Turns a secret into its stored form, or back. */
export type Turn = (text: string, place: Place) => string

type Endpoint = WebhookEndpoint.WebhookEndpoint

const keyOf =
  (turn: Turn, { endpointId, organizationId }: Pick<Endpoint, "organizationId" | "endpointId">) =>
  (signing: WebhookEndpoint.SigningKey): WebhookEndpoint.SigningKey => {
    const key = turn(signing.key, ["signing key", organizationId, endpointId])
    return key === signing.key ? signing : { ...signing, key }
  }

/** Turns the URL and the signing keys of an endpoint. */
export const ofEndpoint =
  (turn: Turn) =>
  <A extends Pick<Endpoint, "organizationId" | "endpointId" | "url" | "signingKeys">>(endpoint: A): A => ({
    ...endpoint,
    url: turn(endpoint.url, ["URL", endpoint.organizationId, endpoint.endpointId]),
    signingKeys: endpoint.signingKeys.map(keyOf(turn, endpoint))
  })

/** Turns the activation code of a SIM. */
export const ofSim =
  (turn: Turn) =>
  <A extends Pick<Sim.Sim, "organizationId" | "iccid" | "lpa">>(sim: A): A => {
    if (sim.lpa === null) return sim
    const lpa = turn(sim.lpa, ["activation code", sim.organizationId, sim.iccid])
    return lpa === sim.lpa ? sim : { ...sim, lpa }
  }

/**
 * Turns the activation code in the outcome of a request or a command. What was interrupted has
 * none.
 */
export const ofOutcome =
  (turn: Turn) =>
  <A extends Idempotency.Outcome | Idempotency.Interrupted>(outcome: A): A | Idempotency.Outcome => {
    if (outcome._tag !== "Succeeded") return outcome
    const { answer } = outcome
    switch (answer.kind) {
      case "Created":
        return {
          _tag: "Succeeded",
          answer: { ...answer, value: { ...answer.value, sim: ofSim(turn)(answer.value.sim) } }
        }
      case "Replaced":
        return {
          _tag: "Succeeded",
          answer: { ...answer, value: { ...answer.value, sim: ofSim(turn)(answer.value.sim) } }
        }
      default:
        return outcome
    }
  }

/** Turns the activation code in the outcome that something has. */
export const withOutcome = (turn: Turn) => {
  const ofTurned = ofOutcome(turn)
  return <A extends { readonly outcome: Idempotency.Outcome | Idempotency.Interrupted }>(one: A): A => ({
    ...one,
    outcome: ofTurned(one.outcome)
  })
}

/** The failure of a read with a secret that no key opens. */
export const unreadable = (cause: unknown): Storage.StorageError =>
  new Storage.StorageError({
    message: cause instanceof Undecryptable ? cause.message : "A secret cannot be read",
    cause
  })

/** What was read, decoded. Fails if a secret in it cannot be read. */
export const decoded = <A, B>(
  read: Effect.Effect<A, Storage.StorageError>,
  decode: (found: A) => B
): Effect.Effect<B, Storage.StorageError> =>
  Effect.flatMap(read, (found) => {
    try {
      return Effect.succeed(decode(found))
    } catch (cause) {
      return Effect.fail(unreadable(cause))
    }
  })

/** Turns stored secrets into what the cipher would store now. */
export const renewed =
  (cipher: Cipher): Turn =>
  (stored, place) =>
    cipher.isCurrent(stored) ? stored : cipher.encrypt(cipher.decrypt(stored, place), place)
