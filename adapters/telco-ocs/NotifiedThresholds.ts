/**
 * Which thresholds of usage an OCS notifies, as its notifications say: a reseller of it has two.
 * All processes share what was notified by an entry of the journal.
 *
 * Polls rely on a threshold only if it was notified within a day. So whatever the OCS is set to,
 * and if it notifies nothing, a threshold that does not come is found by polls as one that is not
 * notified.
 */
import { Clock, Effect, Option, Schema } from "effect"
import { Allowance, Time } from "simplan/ports"
import { Journal } from "../telco-calls/index.ts"

/** A percentage, and when it was last notified. */
const Notified = Schema.Struct({ percent: Schema.Finite, at: Schema.Finite })

type Notified = typeof Notified.Type

/** Stored under the name that earlier versions gave it. */
const Document = Schema.Struct({ notified: Schema.Array(Notified) }).pipe(Schema.encodeKeys({ notified: "heard" }))

const decode = Schema.decodeUnknownOption(Document)
const encode = Schema.encodeSync(Document)

/** How many thresholds a reseller of an OCS has. */
const THRESHOLDS = 2

/** For how long a threshold counts that was notified, in milliseconds. */
const RELIED_ON = Time.DAY

/** How often it is written that one was notified again, in milliseconds. */
const RECORDED_AGAIN = Time.HOUR

const notifiedIn = (entry: Journal.Entry | null): ReadonlyArray<Notified> =>
  Option.match(decode(entry?.document), { onNone: () => [], onSome: ({ notified }) => notified })

/** Those that count: the last two that were notified. */
const current = (notified: ReadonlyArray<Notified>, now: Time.Instant): ReadonlyArray<Notified> =>
  notified
    .filter(({ at }) => now - at < RELIED_ON)
    .toSorted((left, right) => right.at - left.at)
    .slice(0, THRESHOLDS)

/** The thresholds of one OCS, by its name in the settings. */
export const make = ({ telco }: { readonly telco: string }) =>
  Effect.gen(function* () {
    const journal = yield* Journal.Journal
    const place: Journal.Place = { telco, kind: "thresholds", key: "notified" }

    return {
      /** Those of the given thresholds that can be relied on now. */
      of: Effect.fnUntraced(function* (allowed: ReadonlyArray<number>) {
        if (allowed.length === 0) return allowed
        const now = yield* Clock.currentTimeMillis
        const percents = current(notifiedIn(yield* journal.get(place)), now).map(({ percent }) => percent)
        return allowed.filter((percent) => percents.includes(percent))
      }),
      /**
       * A notification is about this threshold. If another process writes at the same time, the
       * next one counts.
       */
      record: Effect.fnUntraced(function* (percent: number) {
        const now = yield* Clock.currentTimeMillis
        const entry = yield* journal.get(place)
        const counts = current(notifiedIn(entry), now)
        const known = counts.find((one) => one.percent === percent)
        if (known !== undefined && now - known.at < RECORDED_AGAIN) return
        if (known === undefined && !Allowance.thresholds.some((threshold) => threshold === percent)) {
          yield* Effect.logWarning(
            `${telco} notifies ${percent} % of usage, which simplan does not notify: set its two thresholds to 50 and 80`
          )
        }
        const notified = [...counts.filter((one) => one.percent !== percent), { percent, at: now }]
        const next = { ...place, iccid: null, externalId: null, dueAt: null, document: encode({ notified }) }
        yield* Journal.write(journal, entry, next)
      })
    }
  })
