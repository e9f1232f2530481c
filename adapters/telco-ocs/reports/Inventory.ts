/**
 * The SIMs of an account of the OCS, as an import into simplan's inventory takes them.
 */
import { Effect, Result } from "effect"
import { SimIdentities } from "simplan/ports"
import { Api, type Subscriber } from "../api/Api.ts"

/** A SIM as an import takes it, without its label, which the OCS does not know. */
export interface Row {
  /** As the OCS writes it; the import checks it (rule I1). */
  readonly iccid: string
  /** False: a physical SIM. */
  readonly isEsim: boolean
  /**
   * The activation code of SGP.22 section 4.1; null for a physical SIM, and for an eSIM of which the OCS tells none.
   */
  readonly lpa: string | null
  /** Null where the OCS tells none, and where what it tells is no IMSI: that would keep the SIM from being imported. */
  readonly imsi: string | null
  /** The phone number; null likewise. */
  readonly msisdn: string | null
  /** The OCS's id of the subscriber. */
  readonly subscriberId: string
}

/** The SIMs of an account, as far as the OCS lists them. */
export interface Inventory {
  /** In the OCS's order. */
  readonly rows: ReadonlyArray<Row>
  /** The account has more SIMs than the OCS lists; its documents name no way to ask for the rest. */
  readonly hasMore: boolean
}

/** Some systems tell the whole code, others its last part. */
const lpaOf = ({ activationCode, isEsim, smdpServer }: Subscriber): string | null => {
  if (!isEsim || activationCode === null) return null
  if (/^LPA:/i.test(activationCode)) return activationCode
  if (activationCode.startsWith("1$")) return `LPA:${activationCode}`
  return smdpServer === null ? null : `LPA:1$${smdpServer}$${activationCode}`
}

const valid = (of: SimIdentities.Unchecked): SimIdentities.SimIdentities =>
  Result.getOrElse(SimIdentities.parse(of), () => SimIdentities.none)

/** The subscriber as a row; an activation code in parts is put together. */
export const rowOf = (subscriber: Subscriber): Row => ({
  iccid: subscriber.iccid,
  isEsim: subscriber.isEsim,
  lpa: lpaOf(subscriber),
  imsi: valid({ imsi: subscriber.imsi }).imsi,
  msisdn: valid({ msisdn: subscriber.msisdn }).msisdn,
  subscriberId: String(subscriber.subscriberId)
})

/** Reads the account's SIMs. */
export const read = Effect.fn("TelcoOcs.inventory")(function* (accountId: number) {
  const { hasMore, subscribers } = yield* Api.use((api) => api.subscribersOf(accountId))
  const inventory: Inventory = { rows: subscribers.map(rowOf), hasMore }
  return inventory
})
