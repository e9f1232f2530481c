/**
 * What the reports know of a SIM from the journal. What they remember between two polls is in the
 * entry of kind `sim`, under `reports`, so that any process goes on from it; the rest of that entry
 * is not theirs, and the stored names are those that earlier versions gave. The packages that
 * simplan has ordered are the entries that the orders write.
 */
import { Effect, Option, Schema } from "effect"
import type { Journal } from "../../telco-calls/index.ts"
import type { Subscriber, Window } from "../api/Api.ts"
import { Allowance, Time } from "simplan/ports"
import * as OrderJournal from "../orders/OrderJournal.ts"

const Instant = Schema.Finite
const Maybe = Schema.NullOr(Schema.Finite)

const PackageState = Schema.Struct({
  /** The greatest total that was listed. */
  usedBytes: Schema.Finite,
  /** Bytes in a millisecond between the last two polls. */
  rate: Schema.Finite,
  /**
   * When a poll last found more use than the one before it; before that, the package's beginning.
   */
  usedAt: Instant,
  /** The greatest total that was reported and taken. */
  reportedBytes: Schema.Finite,
  /** The first use that was reported and taken. */
  reportedActivationAt: Maybe,
  /** When it was last listed by a poll whose report of its use, if there was one, was taken. */
  countedAt: Maybe.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** As listed by the last poll. */
  expirationAt: Maybe
}).pipe(Schema.encodeKeys({ reportedBytes: "reviewedBytes", reportedActivationAt: "toldActivationAt" }))

export type PackageState = typeof PackageState.Type

/** How far a SIM's usage was compared with the OCS's own book of it. */
const Usage = Schema.Struct({
  /** The first day that was not compared. Null: nothing was yet. */
  comparedTo: Maybe,
  /** When days are compared once more; null: when the next one is over. */
  againAt: Maybe,
  /** The first instants of the days on which the totals were others. */
  suspected: Schema.Array(Instant),
  /** Those of earlier days that an operator wants to have compared once more. */
  asked: Schema.Array(Instant).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
})

const notCompared: typeof Usage.Type = { comparedTo: null, againAt: null, suspected: [], asked: [] }

const State = Schema.Struct({
  polledAt: Maybe,
  /** When the next poll was to be, as the last one planned it. */
  nextAt: Maybe,
  /** By the OCS's id of the package. */
  packages: Schema.Record(Schema.String, PackageState),
  /** How many polls in a row have failed. */
  failures: Schema.Finite,
  network: Schema.Struct({
    polledAt: Maybe,
    /** The instant of the location that was reported and taken. */
    reportedAt: Maybe
  }).pipe(Schema.encodeKeys({ polledAt: "lookedAt", reportedAt: "toldAt" })),
  profile: Schema.Struct({
    polledAt: Maybe,
    /** When the latest state of the history began. */
    latestAt: Maybe,
    isInstalled: Schema.Boolean,
    /** The states of the history that were reported. */
    reported: Schema.Array(Schema.String),
    /** The states that were reported before the history had them: `Facts.placeInHistory`. */
    ahead: Schema.Array(Schema.String)
  }).pipe(Schema.encodeKeys({ polledAt: "lookedAt", reported: "told" })),
  /** When both books were last compared. */
  comparedAt: Maybe,
  /**
   * Since when the books differ in what a list that is behind would explain, by the ids of the
   * findings.
   */
  suspected: Schema.Record(Schema.String, Instant).pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
  usage: Usage.pipe(Schema.withDecodingDefaultKey(Effect.succeed(notCompared)))
}).pipe(Schema.encodeKeys({ polledAt: "lookedAt" }))

export type SimState = typeof State.Type

/** The greatest total of a package that was listed: a list that is behind has a lesser one. */
export const greatest = (listed: Pick<PackageState, "usedBytes">, known: PackageState | undefined): number =>
  Math.max(listed.usedBytes, known?.usedBytes ?? 0)

/**
 * What is remembered of packages, with what was noted meanwhile of some that were used more
 * (`FinalUsage`).
 */
export const withLater = (mine: SimState["packages"], theirs: SimState["packages"]): SimState["packages"] => {
  const later = Object.entries(theirs).filter(([id, one]) => one.usedBytes > (mine[id]?.usedBytes ?? 0))
  return later.length === 0 ? mine : { ...mine, ...Object.fromEntries(later) }
}

/** How long after its end a package is remembered, in milliseconds. */
export const REMEMBERED = 40 * Time.DAY

/** For how long after its last order a SIM is compared that needs no polls, in milliseconds. */
export const COMPARED = 35 * Time.DAY

export const initial: SimState = {
  polledAt: null,
  nextAt: null,
  packages: {},
  failures: 0,
  network: { polledAt: null, reportedAt: null },
  profile: { polledAt: null, latestAt: null, isInstalled: false, reported: [], ahead: [] },
  comparedAt: null,
  suspected: {},
  usage: notCompared
}

const decode = Schema.decodeUnknownOption(State)
const encode = Schema.encodeSync(State)

/** What is remembered; of an entry without, and of one that cannot be read, nothing. */
export const of = ({ document }: Pick<Journal.Entry, "document">): SimState =>
  Option.getOrElse(decode(document["reports"]), () => initial)

/** The entry's document with the state in it. */
export const within = ({ document }: Pick<Journal.Entry, "document">, state: SimState): Journal.Document => ({
  ...document,
  reports: encode(state)
})

const decodeKnown = Schema.decodeUnknownOption(
  Schema.Struct({ subscriberId: Schema.Finite, simId: Schema.NullOr(Schema.Finite) })
)

/**
 * The id of the eSIM, by which its profile's history is asked for; null if it is not known, or the
 * SIM is none.
 */
export const simId = ({ document }: Pick<Journal.Entry, "document">): number | null =>
  Option.getOrNull(Option.map(decodeKnown(document), (known) => known.simId))

/** The OCS's id of the subscriber; null if it is not known. */
export const subscriberId = ({ document }: Pick<Journal.Entry, "document">): number | null =>
  Option.getOrNull(Option.map(decodeKnown(document), (known) => known.subscriberId))

/** The entry's document with what `Subscribers` keeps of a subscriber. */
export const withIds = (
  { document }: Pick<Journal.Entry, "document">,
  { imsi, simId, subscriberId }: Pick<Subscriber, "imsi" | "simId" | "subscriberId">
): Journal.Document => ({ ...document, subscriberId, imsi, simId })

export interface Ordered {
  /** Ours: `<attachment id>:<occurrence>`. */
  readonly packageId: string
  readonly iccid: string
  /** The OCS's id, once it is known. */
  readonly externalId: string | null
  /**
   * `Open`: the orders are still at it. A `Cancelled` package is one whose end the OCS has
   * confirmed.
   */
  readonly status: OrderJournal.Order["_tag"]
  /** Null: from the first use on. */
  readonly window: Window | null
  /** That which it was asked for by; null if it was never asked for. */
  readonly template: { readonly id: number; readonly name: string } | null
  /** The percentages of its usage at which an event may fire. */
  readonly thresholds: ReadonlyArray<number>
  /**
   * What was used of it when it was last listed for an operator as kept, since its creation is
   * undone; null: never.
   */
  readonly reviewedBytes: number | null
  /** When it was first asked for. */
  readonly orderedAt: Time.Instant | null
  /** When it was last asked for. */
  readonly askedAt: Time.Instant | null
  /** The orders are settled again: what a call without an answer has made late may still appear. */
  readonly isWatched: boolean
}

const isUnconfirmed = (order: OrderJournal.Order): boolean => order._tag === "Cancelled" && !order.confirmed

/** The package that an entry is about; an entry that cannot be read is one that is open. */
export const orderedOf = ({ document, dueAt, externalId, iccid, key }: Journal.Entry): Ordered => {
  const order = Option.getOrUndefined(OrderJournal.decodeOption(document))
  return {
    packageId: key,
    iccid: iccid ?? "",
    externalId,
    status: order === undefined || isUnconfirmed(order) ? "Open" : order._tag,
    window: order?.asked?.window ?? null,
    template: order?.asked ? { id: order.asked.templateId, name: order.asked.templateName } : null,
    thresholds: order?.asked?.thresholds ?? Allowance.thresholds,
    reviewedBytes: OrderJournal.reviewedBytesOf(order),
    orderedAt: order?.asked?.firstAt ?? null,
    askedAt: order?.asked?.lastAt ?? null,
    isWatched: dueAt !== null
  }
}

/**
 * Until when what was used of packages is counted, by our ids: lists may be behind by `lag`. Those
 * that no poll has listed are left out.
 */
export const asOf = (
  ordered: ReadonlyArray<Ordered>,
  { packages }: SimState,
  lag: number
): ReadonlyMap<string, Time.Instant> =>
  new Map(
    ordered.flatMap(({ externalId, packageId }) => {
      const countedAt = packages[externalId ?? ""]?.countedAt ?? null
      return countedAt === null ? [] : [[packageId, countedAt - lag] as const]
    })
  )

/** Whether the customer has the package: its use counts. */
export const isServed = ({ status }: Ordered): boolean => status === "Created"
