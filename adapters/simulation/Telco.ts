/**
 * The telco of a simulated service, observed from both sides: the calls to it, with what came of
 * each, and its books as a journal of what was written, in order, each with its instant.
 *
 * The journal is the telco's memory itself, not a copy of it, so it is true also of calls whose
 * answer was lost.
 */
import { Cause, Effect, Exit, Layer, Predicate, type Schema } from "effect"
import type { Time } from "simplan"
import { Clocks, type Telco, TelcoPorts } from "simplan/ports"
import { Books } from "simplan/telco-simulator"
import type { Simulated } from "../../src/testing/index.ts"

export type Listener = (call: Simulated.TelcoCall) => void

type Answer = Exit.Exit<unknown, Telco.Refused | Telco.Unavailable>

const outcome = (answer: Answer): Simulated.TelcoCall["outcome"] => {
  if (Exit.isSuccess(answer)) return "done"
  const error = Cause.findErrorOption(answer.cause)
  if (error._tag === "None") return "no answer"
  return error.value._tag === "Telco.Refused" ? "refused" : "unavailable"
}

/**
 * The telco, with every call that changes something passed to the listener as soon as it is over.
 */
export const observed = (
  telco: Telco.Telco["Service"],
  now: Effect.Effect<Time.Instant>,
  listener: Listener
): Telco.Telco["Service"] => ({
  ...telco,
  ...TelcoPorts.dispatch(({ iccid, key, operation: kind }, call) =>
    Effect.flatMap(now, (at) =>
      Effect.onExit(call(telco), (answer) =>
        Effect.sync(() => listener({ at, kind, key, iccid, outcome: outcome(answer) }))
      )
    )
  )
})

type TelcoRecord = Simulated.TelcoRecord

const text = (value: Schema.Json | undefined): string => (Predicate.isString(value) ? value : "")

const amount = (value: Schema.Json | undefined): number => (Predicate.isNumber(value) ? value : 0)

const window = (value: Schema.Json | undefined): { readonly start: number; readonly end: number } | null =>
  Predicate.hasProperty(value, "start") &&
  Predicate.hasProperty(value, "end") &&
  Predicate.isNumber(value.start) &&
  Predicate.isNumber(value.end)
    ? { start: value.start, end: value.end }
    : null

const recordOf = (kind: string, key: string, document: Books.Document, at: Time.Instant): TelcoRecord => {
  const refusal = Predicate.isString(document["refusal"]) ? document["refusal"] : null
  const iccid = text(document["iccid"])
  switch (kind) {
    case "package":
      return {
        at,
        key,
        refusal,
        kind,
        iccid,
        window: window(document["window"]),
        dataMegaBytes: amount(document["dataMegaBytes"])
      }
    case "suspension":
    case "cancellation":
      return { at, key, refusal, kind }
    case "refused suspension":
      return { at, key, refusal, kind: "suspension" }
    case "refused cancellation":
      return { at, key, refusal, kind: "cancellation" }
    case "message":
      return { at, key, refusal, kind, iccid, text: text(document["text"]) }
    case "release":
      return { at, key, refusal, kind, iccid }
    case "mobile plan change":
      return { at, key, refusal, kind, iccid, applied: document["applied"] === true }
    case "service change":
      return { at, key, refusal, kind, iccid, active: document["active"] === true }
    case "sale": {
      const [organizationId, load] = [text(document["organizationId"]), text(document["load"])]
      const sellBy = Predicate.isNumber(document["sellBy"]) ? document["sellBy"] : null
      return { at, key, refusal, kind, iccid, organizationId, load, sellBy }
    }
    case "return":
      return { at, key, refusal, kind, iccid }
    default:
      throw new Error(`a telco has no books of ${kind}`)
  }
}

export interface Journal {
  readonly records: ReadonlyArray<TelcoRecord>
  readonly layer: Layer.Layer<Books.Books, never, Clocks.BusinessClock>
}

/** Empty books. */
export const journal = (): Journal => {
  const records: Array<TelcoRecord> = []
  const kinds = new Map<string, Map<string, Books.Document>>()
  const documentsOf = (kind: string): Map<string, Books.Document> => {
    const known = kinds.get(kind)
    if (known !== undefined) return known
    const fresh = new Map<string, Books.Document>()
    kinds.set(kind, fresh)
    return fresh
  }
  const add = (kind: string, key: string, document: Books.Document, now: Time.Instant): Books.Document => {
    const stored = documentsOf(kind).get(key)
    if (stored !== undefined) return stored
    documentsOf(kind).set(key, document)
    records.push(recordOf(kind, key, document, now))
    return document
  }
  const layer = Layer.effect(
    Books.Books,
    Effect.map(Clocks.BusinessClock, (clock) => ({
      add: (kind, key, document) => Effect.map(clock.now, (now) => add(kind, key, document, now)),
      addUnless: (other, kind, key, document) =>
        Effect.map(clock.now, (now) => {
          const found = documentsOf(other).get(key)
          return found === undefined
            ? { kind, document: add(kind, key, document, now) }
            : { kind: other, document: found }
        }),
      get: (kind, key) => Effect.sync(() => documentsOf(kind).get(key) ?? null),
      all: (kind) => Effect.sync(() => Array.from(documentsOf(kind), ([key, document]) => ({ key, document })))
    }))
  )
  return { records, layer }
}

const DAY = 86_400_000

/** What the telco sells SIMs as. */
export interface Sales {
  /** What a purchase at that instant brings. */
  readonly of: (
    purchase: Telco.SimPurchase,
    now: Time.Instant
  ) => { readonly iccid?: string; readonly sellBy: number | null }
  /** The ICCIDs that were sold to an organization, in order of their first sale. */
  readonly iccids: (organizationId: string) => ReadonlyArray<string>
}

/**
 * Sells SIMs that have to be put into use within so many days, in turn, and the ICCIDs that were
 * returned to it before new ones.
 */
export const sales = ({ records }: Journal, days: ReadonlyArray<number | null>): Sales => {
  const made = new Map<string, ReturnType<Sales["of"]>>()
  const resold = new Set<string>()
  const sold = () => records.flatMap((one) => (one.kind === "sale" && one.refusal === null ? [one] : []))
  const again = (organizationId: string): string | undefined => {
    const owners = new Map(sold().map((one) => [one.key, one.organizationId]))
    const found = records.find(
      ({ key, kind }) => kind === "return" && !resold.has(key) && owners.get(key) === organizationId
    )
    if (found?.kind !== "return") return undefined
    resold.add(found.key)
    return found.iccid
  }
  return {
    of: ({ organizationId, purchaseId }, now) => {
      const known = made.get(purchaseId)
      if (known !== undefined) return known
      const within = days[made.size % days.length] ?? null
      const iccid = again(organizationId)
      const sale = { sellBy: within === null ? null : now + within * DAY, ...(iccid !== undefined && { iccid }) }
      made.set(purchaseId, sale)
      return sale
    },
    iccids: (organizationId) => [
      ...new Set(sold().flatMap((one) => (one.organizationId === organizationId ? [one.iccid] : [])))
    ]
  }
}

/** What the books come to. */
export const booksOf = (records: ReadonlyArray<TelcoRecord>): Simulated.TelcoBooks => {
  const granted = records.filter(({ refusal }) => refusal === null)
  const keys = (kind: TelcoRecord["kind"]) => new Set(granted.filter((one) => one.kind === kind).map(({ key }) => key))
  const [suspended, cancelled] = [keys("suspension"), keys("cancellation")]
  const mobilePlans = new Map<string, boolean>()
  for (const one of granted) if (one.kind === "mobile plan change") mobilePlans.set(one.iccid, one.applied)
  const services = new Map<string, boolean>()
  for (const one of granted) if (one.kind === "service change") services.set(one.iccid, one.active)
  return {
    packages: granted.flatMap((one) =>
      one.kind !== "package"
        ? []
        : [
            {
              packageId: one.key,
              telcoPackageId: `telco-${one.key}`,
              iccid: one.iccid,
              status: cancelled.has(one.key) ? "cancelled" : suspended.has(one.key) ? "suspended" : "active"
            }
          ]
    ),
    messages: granted.flatMap((one) => (one.kind === "message" ? [one.key] : [])),
    mobilePlans: [...mobilePlans],
    services: [...services]
  }
}
