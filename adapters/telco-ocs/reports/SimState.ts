/**
 * What the reports remember of a SIM between two looks: in the journal's entry of kind `sim`, under `reports`, so that any
 * process goes on from it. The rest of that entry is not theirs.
 */
import { Effect, Option, Schema } from "effect"
import type { Journal } from "../../telco-calls/index.ts"
import type { Subscriber } from "../api/Api.ts"

const Instant = Schema.Finite
const Maybe = Schema.NullOr(Schema.Finite)

const PackageState = Schema.Struct({
  /** As listed by the last look. */
  usedBytes: Schema.Finite,
  /** Bytes in a millisecond between the last two looks. */
  rate: Schema.Finite,
  /** When a look last found more use than the one before it; before that, the package's beginning. */
  usedAt: Instant,
  /** The greatest total that was reported and taken. */
  toldBytes: Schema.Finite,
  /** The first use that was reported and taken. */
  toldActivationAt: Maybe,
  /** As listed by the last look. */
  expirationAt: Maybe
})

export type PackageState = typeof PackageState.Type

const State = Schema.Struct({
  lookedAt: Maybe,
  /** When the next look was to be, as the last one planned it. */
  nextAt: Maybe,
  /** By the OCS's id of the package. */
  packages: Schema.Record(Schema.String, PackageState),
  /** How many looks in a row have failed. */
  failures: Schema.Finite,
  network: Schema.Struct({
    lookedAt: Maybe,
    /** The instant of the location that was reported and taken. */
    toldAt: Maybe
  }),
  profile: Schema.Struct({
    lookedAt: Maybe,
    /** When the latest state of the history began. */
    latestAt: Maybe,
    isInstalled: Schema.Boolean,
    /** The states of the history that were reported. */
    told: Schema.Array(Schema.String),
    /** The states that were reported before the history had them: `ProfileHistory.place`. */
    ahead: Schema.Array(Schema.String)
  }),
  /** When both books were last compared. */
  comparedAt: Maybe,
  /** Since when the books differ in what a list that is behind would explain, by the ids of the findings. */
  suspected: Schema.Record(Schema.String, Instant).pipe(Schema.withDecodingDefaultKey(Effect.succeed({})))
})

export type SimState = typeof State.Type

export const initial: SimState = {
  lookedAt: null,
  nextAt: null,
  packages: {},
  failures: 0,
  network: { lookedAt: null, toldAt: null },
  profile: { lookedAt: null, latestAt: null, isInstalled: false, told: [], ahead: [] },
  comparedAt: null,
  suspected: {}
}

const decode = Schema.decodeUnknownOption(State)

/** What is remembered; of an entry without, and of one that cannot be read, nothing. */
export const of = ({ document }: Pick<Journal.Entry, "document">): SimState =>
  Option.getOrElse(decode(document["reports"]), () => initial)

/** The entry's document with the state in it. */
export const within = ({ document }: Pick<Journal.Entry, "document">, state: SimState): Journal.Document => ({
  ...document,
  reports: state
})

const decodeKnown = Schema.decodeUnknownOption(
  Schema.Struct({ subscriberId: Schema.Finite, simId: Schema.NullOr(Schema.Finite) })
)

/** The id of the eSIM, by which its profile's history is asked for; null if it is not known, or the SIM is none. */
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
