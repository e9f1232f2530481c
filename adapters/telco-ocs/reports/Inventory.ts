/**
 * The SIMs of an account of the OCS, as an import into simplan's inventory takes them.
 */
import { Effect, Option, Result } from "effect"
import { ActivationCode, SimIdentities } from "simplan/ports"
import type { CallFailure } from "../../telco-calls/index.ts"
import { Api, type ListedBy, type OddRow, type Subscriber, type SubscriberList } from "../api/Api.ts"

/** A SIM as an import takes it, without its label, which the OCS does not know. */
export interface Row {
  /** As the OCS writes it; the import checks it (rule I1). */
  readonly iccid: string
  /** False: a physical SIM. */
  readonly isEsim: boolean
  /**
   * The activation code of SGP.22 section 4.1; null for a physical SIM, and for an eSIM of which
   * the OCS returns none.
   */
  readonly lpa: string | null
  /**
   * Null if the OCS returns none, and if what it returns is no IMSI: that would keep the SIM
   * from being imported.
   */
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
  /** Rows of the account that cannot be read; the others can be imported without them. */
  readonly odd: ReadonlyArray<OddRow>
  /** Why SIMs of the account may be missing here: a sentence. Null: none is. */
  readonly missing: string | null
}

/** Some systems return the whole code, others its last part. */
const lpaOf = ({ activationCode, isEsim, smdpServer }: Subscriber): string | null => {
  if (!isEsim || activationCode === null) return null
  if (/^(?:LPA:|1\$)/i.test(activationCode)) return ActivationCode.canonical(activationCode)
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

/** A number of which the SIMs of a batch have the first digits in common. */
interface Numbering {
  readonly of: (subscriber: Subscriber) => string | null
  readonly by: (prefix: string) => ListedBy
  /** How many digits the OCS asks for at least, and how many there are at most. */
  readonly shortest: number
  readonly longest: number
}

const numberings: ReadonlyArray<Numbering> = [
  { of: ({ iccid }) => iccid, by: (iccidPrefix) => ({ iccidPrefix }), shortest: 13, longest: 20 },
  { of: ({ imsi }) => imsi, by: (imsiPrefix) => ({ imsiPrefix }), shortest: 10, longest: 15 },
  { of: ({ msisdn }) => msisdn, by: (msisdnPrefix) => ({ msisdnPrefix }), shortest: 7, longest: 15 }
]

/**
 * Prefixes of one numbering: those that SIMs of the account have, and those that were asked for.
 */
interface Prefixes {
  readonly numbering: Numbering
  readonly known: Set<string>
  readonly asked: Set<string>
}

/** The prefixes of the same length before and after one, where the next batch of SIMs may be. */
const neighbours = (prefix: string): ReadonlyArray<string> =>
  [BigInt(prefix) - 1n, BigInt(prefix) + 1n]
    .map((one) => String(one).padStart(prefix.length, "0"))
    .filter((one) => one.length === prefix.length && !one.includes("-"))

/** A prefix to ask for next: one that the account has, else one beside it. */
const nextPrefix = (all: ReadonlyArray<Prefixes>) => {
  for (const toward of [(prefix: string) => [prefix], neighbours]) {
    for (const { asked, known, numbering } of all) {
      for (const one of known) {
        const prefix = toward(one).find((candidate) => !asked.has(candidate))
        if (prefix === undefined) continue
        asked.add(prefix)
        return { numbering, prefix }
      }
    }
  }
  return null
}

/** How many rows are gone through before others have their turn: some milliseconds of work. */
const PIECE = 1_000

const inPieces = Effect.fnUntraced(function* <A, B>(rows: ReadonlyArray<A>, of: (row: A) => B) {
  const all: Array<B> = []
  for (let at = 0; at < rows.length; at += PIECE) {
    if (at > 0) yield* Effect.yieldNow
    for (const row of rows.slice(at, at + PIECE)) all.push(of(row))
  }
  return all
})

/** What was listed of an account, each subscriber once. */
const makeFound = (accountId: number) => {
  const subscribers = new Map<number, Subscriber>()
  const withoutCard = new Set<number>()
  const odd = new Map<string, OddRow>()
  const prefixes = numberings.map((numbering): Prefixes => ({ numbering, known: new Set(), asked: new Set() }))
  const addOne = (subscriber: Subscriber): void => {
    subscribers.set(subscriber.subscriberId, subscriber)
    for (const { known, numbering } of prefixes) {
      const prefix = numbering.of(subscriber)?.slice(0, numbering.shortest) ?? ""
      if (prefix.length === numbering.shortest && /^\d+$/.test(prefix)) known.add(prefix)
    }
  }
  const add = Effect.fnUntraced(function* (list: SubscriberList) {
    yield* inPieces(list.subscribers, addOne)
    for (const id of list.withoutCard) withoutCard.add(id)
    for (const row of list.odd) odd.set(row.key, row)
  })
  const isOwn = (row: { readonly accountId: number | null }): boolean => row.accountId === accountId
  return {
    subscribers,
    odd,
    prefixes,
    /** Adds a list of the account. */
    add,
    /** Adds what is the account's of a list of all accounts. */
    addOwn: ({ odd, subscribers, ...list }: SubscriberList): Effect.Effect<void> =>
      add({ ...list, subscribers: subscribers.filter(isOwn), odd: odd.filter(isOwn), withoutCard: [] }),
    count: (): number => subscribers.size + withoutCard.size + odd.size
  }
}

type Found = ReturnType<typeof makeFound>

/**
 * Asks by prefixes until as many are found as there are, or no prefix is left. `total` is null
 * if the OCS does not say.
 */
const listByPrefixes = Effect.fnUntraced(function* (found: Found, total: number | null) {
  const api = yield* Api
  const isAll = (): boolean => total !== null && found.count() >= total
  const list = (numbering: Numbering, prefix: string): Effect.Effect<void, CallFailure.CallFailure> =>
    Effect.gen(function* () {
      const answer = yield* Effect.catchIf(
        Effect.asSome(api.subscribersBy(numbering.by(prefix))),
        ({ outcome }) => outcome === "NotFound",
        () => Effect.succeedNone
      )
      if (Option.isNone(answer)) return
      yield* found.addOwn(answer.value)
      if (!answer.value.hasMore || prefix.length >= numbering.longest) return
      for (const digit of "0123456789") if (!isAll()) yield* list(numbering, prefix + digit)
    })
  for (let next = nextPrefix(found.prefixes); next !== null && !isAll(); next = nextPrefix(found.prefixes)) {
    yield* list(next.numbering, next.prefix)
  }
})

/**
 * Reads the account's SIMs. If the OCS cuts the list of the account, it is asked by the first
 * digits of the ICCIDs, IMSIs and phone numbers that the account is known to have, and by the
 * numbers beside those, as long as that finds more. It says how many the account has, so it is
 * known whether some are still missing. Fails if the account cannot be listed at all.
 */
export const read = Effect.fn("TelcoOcs.inventory")(function* (accountId: number) {
  const first = yield* Api.use((api) => api.subscribersBy({ accountId }))
  const found = makeFound(accountId)
  yield* found.add(first)
  const listed = found.count()
  // A number that does not exceed what a cut list has does not say how many there are.
  const total = first.found !== null && first.found > listed ? first.found : null
  const broken = first.hasMore
    ? yield* Effect.match(listByPrefixes(found, total), {
        onSuccess: () => null,
        onFailure: ({ message }) => `The rest of account ${accountId} cannot be read now: ${message}`
      })
    : null
  const count = found.count()
  const cut =
    total === null
      ? `The system does not list all SIMs of account ${accountId} at once, nor say how many there are; ${count} were found`
      : `Account ${accountId} has ${total} SIMs, of which the system lists ${count}`
  const inventory: Inventory = {
    rows: yield* inPieces([...found.subscribers.values()], rowOf),
    odd: [...found.odd.values()],
    missing: !first.hasMore || (total !== null && count >= total) ? null : (broken ?? cut)
  }
  return inventory
})
