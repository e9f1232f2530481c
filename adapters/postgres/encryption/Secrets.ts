/**
 * Which values are secrets, and their places: the signing keys and URLs of webhook endpoints, since a URL may have a token
 * in its path or query, and the activation codes of SIMs, which stand in the SIMs' rows and in the answers to creations: those kept for their idempotency keys, and the outcomes of
 * commands.
 */
import type { Idempotency, Sim, WebhookEndpoint } from "simplan/ports"
import type { Cipher, Place } from "./Cipher.ts"

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

/** Turns the activation code in the outcome of a request or a command. */
export const ofOutcome =
  (turn: Turn) =>
  (outcome: Idempotency.Outcome): Idempotency.Outcome => {
    if (outcome._tag !== "Succeeded" || outcome.answer.kind !== "Created") return outcome
    const { value } = outcome.answer
    return { _tag: "Succeeded", answer: { kind: "Created", value: { ...value, sim: ofSim(turn)(value.sim) } } }
  }

/** Turns stored secrets into what the cipher would store now. */
export const renewed =
  (cipher: Cipher): Turn =>
  (stored, place) =>
    cipher.isCurrent(stored) ? stored : cipher.encrypt(cipher.decrypt(stored, place), place)
