/**
 * Compares SIMs in stock with what the OCS lists on them (rule S5): each once a day, and a new one
 * as soon as it has its turn. A SIM that has anything of simplan's on it leaves the stock at once,
 * before it is sold. It is released anew if cancelled orders explain that; else an operator
 * decides, since the packages may be of a customer whom a restored backup does not know.
 *
 * The journal has an entry of the kind `stock` for each organization, which says how far its
 * inventory was compared, in the order of import, which is the order of sale too; and one that
 * finds new organizations. Processes claim these entries under the lease of the settings, so that
 * each SIM is one process's, and a turn has few SIMs, so that organizations take turns. At most a
 * quarter of the allowed calls goes to SIMs in stock, those of a comparison that is asked for
 * (`FullComparison`) included: of 20 in a second 5, which is 432,000 SIMs a day; if polls take
 * most of the calls, less. Of more SIMs, a round takes longer than a day, and the next one follows
 * at once.
 */
import { Clock, Effect, Option, Schema } from "effect"
import { Organizations, Settings as Limits, Sims } from "simplan"
import { Sim, type Storage, Time } from "simplan/ports"
import { Claims, Journal, type PollSchedule } from "../../telco-calls/index.ts"
import { Orders } from "../orders/Orders.ts"

export interface Options {
  /** The name of the OCS in the settings. */
  readonly telco: string
  /**
   * Whether this OCS takes the packages of a SIM; of all unless given. Of others nothing is asked
   * while they are in stock.
   */
  readonly isSupplied?: (sim: Pick<Sim.Sim, "label" | "organizationId" | "purchase">) => boolean
  /** Counts the calls of polls: one for all that is done about this OCS in this process. */
  readonly meter: PollSchedule.Meter
}

const KIND = "stock"

/** How often a SIM is compared, in milliseconds. */
const EVERY = Time.DAY
/**
 * How soon new SIMs are searched, what has failed is tried again, and organizations are searched,
 * in milliseconds.
 */
const AGAIN = Time.MINUTE
/** How long to wait after a turn without a call, and if nothing is due, in milliseconds. */
const PAUSE = 100
const IDLE = Time.SECOND

/** How many SIMs a turn reads, how many of them it compares, and how many at once. */
const READ = 100
const CALLS = 10
const AT_ONCE = 5
/** How many organizations are read at once. */
const ORGANIZATIONS = 100
/**
 * How often a turn of a round is made of which all calls fail, before the next SIMs have theirs.
 */
const TRIES = 3

const State = Schema.Struct({
  /** The last import sequence that was compared after its import; null: none was. */
  newest: Schema.NullOr(Schema.Finite),
  /** Before that new SIMs are not tried again. */
  retryAt: Schema.Finite,
  /** When the last round began. */
  roundAt: Schema.Finite,
  /** The last import sequence that was compared in a round that is under way; null: none is. */
  after: Schema.NullOr(Schema.Finite),
  /** How often in a row all calls of a turn of the round have failed. */
  failures: Schema.Finite
})

type State = typeof State.Type

const firstState = (now: number): State => ({ newest: null, retryAt: now, roundAt: now, after: null, failures: 0 })

const decode = Schema.decodeUnknownOption(State)

/** The key of the entry that says which organizations have one: no organization has such an id. */
const DISCOVERY = "*"

const Discovery = Schema.Struct({
  /** The last organization that was read; null: none was. */
  after: Schema.NullOr(Schema.Struct({ createdAt: Schema.Finite, id: Schema.String })),
  /** When the first one was read. */
  begunAt: Schema.Finite
})

type Discovery = typeof Discovery.Type

const firstDiscovery = (now: number): Discovery => ({ after: null, begunAt: now })

const decodeDiscovery = Schema.decodeUnknownOption(Discovery)

/** How many calls a turn made, what its entry is to remember, and when that is due again. */
interface Turn {
  readonly calls: number
  readonly dueAt: number
  readonly document: Journal.Document
}

/** The SIMs of a turn, which ends before one SIM more would be compared than a turn has. */
const share = (items: ReadonlyArray<Sim.Sim>, isCompared: (sim: Sim.Sim) => boolean) => {
  let calls = 0
  const end = items.findIndex((sim) => isCompared(sim) && ++calls > CALLS)
  const read = end === -1 ? items : items.slice(0, end)
  return { compared: read.filter(isCompared), last: read.at(-1)?.importSequence ?? null }
}

/** One turn. It returns how long to wait before the next one, in milliseconds. */
export const make = ({ isSupplied = () => true, meter, telco }: Options) =>
  Effect.gen(function* () {
    const { leaseMillis } = yield* Limits.Settings
    const journal = yield* Journal.Journal
    const sims = yield* Sims.Sims
    const orders = yield* Orders
    const organizations = yield* Organizations.Organizations
    const isCompared = (sim: Sim.Sim): boolean => !Sim.isUsed(sim) && isSupplied(sim)

    const add = (key: string, document: Journal.Document, dueAt: number) =>
      journal.add({ telco, kind: KIND, key, iccid: null, externalId: null, document, dueAt })

    /**
     * Adds the entries of organizations that have none. Once a day all are read, since clocks may
     * differ.
     */
    const discover = Effect.fnUntraced(function* (
      state: Discovery,
      now: number
    ): Effect.fn.Return<Turn, Journal.JournalError | Storage.StorageError> {
      const begun = now - state.begunAt < EVERY ? state : firstDiscovery(now)
      const { items, next } = yield* organizations.page({ after: begun.after, limit: ORGANIZATIONS })
      for (const { organizationId } of items) yield* add(organizationId, firstState(now), now)
      const last = items.at(-1)
      const after = last === undefined ? begun.after : { createdAt: last.createdAt, id: last.organizationId }
      return { calls: 0, dueAt: next === null ? now + AGAIN : now, document: { ...begun, after } }
    })

    /** Whether the OCS has answered. */
    const compare = ({ iccid, organizationId }: Sim.Sim) =>
      sims.withhold({ organizationId, iccid, list: orders.listStock({ iccid }) }).pipe(
        Effect.as(true),
        Effect.catchTags({
          "Telco.Refused": ({ message }) => unanswered(iccid, message),
          "Telco.Unavailable": ({ message }) => unanswered(iccid, message)
        })
      )

    const unanswered = (iccid: string, message: string) =>
      Effect.as(Effect.logDebug(`A SIM in stock was not compared with ${telco}: ${message}`, { iccid }), false)

    /** Compares the next SIMs after one. Null: there are none. */
    const compareAfter = Effect.fnUntraced(function* (organizationId: string, after: number | null) {
      const page = yield* sims.page({ organizationId, isEsim: null, label: null, after, limit: READ })
      const { compared, last } = share(page.items, isCompared)
      if (last === null) return null
      const answers = yield* Effect.forEach(compared, compare, { concurrency: AT_ONCE })
      const hasFailed = answers.length > 0 && !answers.includes(true)
      return { last, calls: answers.length, hasFailed }
    })

    /**
     * The next turn of the round; if none is under way, one begins a day after the last one did.
     */
    const round = Effect.fnUntraced(function* (organizationId: string, state: State, now: number) {
      const isUnderWay = state.after !== null
      if (!isUnderWay && now - state.roundAt < EVERY) {
        return { calls: 0, dueAt: Math.min(now + AGAIN, state.roundAt + EVERY), document: state }
      }
      const roundAt = isUnderWay ? state.roundAt : now
      const part = yield* compareAfter(organizationId, state.after)
      if (part === null) return { calls: 0, dueAt: now + AGAIN, document: { ...state, roundAt, after: null } }
      const { calls, hasFailed, last } = part
      const failures = hasFailed ? state.failures + 1 : 0
      return failures === 0 || failures >= TRIES
        ? { calls, dueAt: now, document: { ...state, roundAt, after: last, failures: 0 } }
        : { calls, dueAt: now + AGAIN, document: { ...state, failures } }
    })

    /**
     * New SIMs go first. None of them is left out while the OCS does not answer; the round goes on
     * meanwhile.
     */
    const advance = Effect.fnUntraced(function* (organizationId: string, state: State, now: number) {
      const fresh = now < state.retryAt ? null : yield* compareAfter(organizationId, state.newest)
      if (fresh === null) return yield* round(organizationId, state, now)
      const { calls, hasFailed, last } = fresh
      const next = hasFailed ? { ...state, retryAt: now + AGAIN } : { ...state, newest: last }
      return { calls, dueAt: now, document: next }
    })

    const turn = ({ document, key }: Journal.Entry, now: number) =>
      key === DISCOVERY
        ? discover(
            Option.getOrElse(decodeDiscovery(document), () => firstDiscovery(now)),
            now
          )
        : advance(
            key,
            Option.getOrElse(decode(document), () => firstState(now)),
            now
          )

    return Claims.use(
      journal,
      { telco, kind: KIND, leaseMillis, limit: 1 },
      Effect.fnUntraced(function* ({ entries: [entry] }) {
        const now = yield* Clock.currentTimeMillis
        if (entry === undefined) {
          const isFirst = (yield* add(DISCOVERY, firstDiscovery(now), now)) !== null
          return isFirst ? PAUSE : IDLE
        }
        const { calls, document, dueAt } = yield* turn(entry, now)
        yield* journal.replace({ ...entry, document, dueAt })
        const elapsed = (yield* Clock.currentTimeMillis) - now
        return calls === 0 ? PAUSE : Math.max(PAUSE, meter.stockMillis(calls, now) - elapsed)
      })
    )
  })
