/**
 * When the next call of a telco begins, and whose it is (rule W13). Organizations take turns twice,
 * by `FairSlots`: for one of the calls that may be under way at once, and then for the next instant
 * that the pace allows. So the calls that one organization has waiting, however many, delay another
 * one's by two intervals of the pace at most: of the one whose turn it is, and of one more.
 *
 * Polls take what the others leave: none begins while another call waits, and a quarter of the
 * slots is never theirs.
 *
 * A call waits for its turn up to a bound. One that could not come to its turn by then is refused
 * at once.
 *
 * Times are machine time, in milliseconds.
 */
import { Effect, Latch } from "effect"
import { FairSlots } from "simplan"
import { Clocks, TelcoPorts } from "simplan/ports"

/** How fast calls begin one after the other. */
export interface Pace {
  /** From one call to the next; 0 without a limit. */
  readonly interval: (now: number) => number
  /** When the next call may begin, at `now` or later. */
  readonly at: (now: number) => number
  /** A call begins at `now`; `at` is the instant that it has waited for. */
  readonly start: (at: number, now: number) => void
}

/** How many calls there are at once, and how fast they begin. */
export interface Options {
  /** The most calls under way at once. */
  readonly window: number
  /** How long a call waits for its turn. */
  readonly waitMillis: number
  /** How fast they begin. */
  readonly pace: Pace
}

/** What a turn is taken for. */
export interface Turn<S, A, E, Late> {
  /** Waits until calls can be made. */
  readonly ready: Effect.Effect<S>
  /** Makes the call. */
  readonly use: (ready: S) => Effect.Effect<A, E>
  /** If no turn comes in time; after so many milliseconds there may be one. */
  readonly tooLate: (waitMillis: number) => Effect.Effect<never, Late>
  /** Fails if the call is not to wait any more. */
  readonly givenUp?: Effect.Effect<never, Late>
  /** Replaces the `waitMillis` of all. */
  readonly waitMillis?: number
  /** Whether it takes what the others leave; false unless given. */
  readonly isPoll?: boolean
  /** It is part of what has a slot already. */
  readonly isInSlot?: boolean
}

/** The turns of one telco in this process. */
export interface Turns {
  /** Takes a turn of the organization of `TelcoPorts.Caller`. */
  readonly take: <S, A, E, Late>(turn: Turn<S, A, E, Late>) => Effect.Effect<A, E | Late>
  /**
   * Takes a slot alone, for what may be several calls; `none` if it does not come in time, or if so
   * many calls of the organization wait.
   */
  readonly slot: <A, E, Late>(
    bounds: { readonly waitMillis: number; readonly mostWaiting: number },
    use: Effect.Effect<A, E>,
    none: Effect.Effect<never, Late>
  ) => Effect.Effect<A, E | Late>
  /** How many calls wait. */
  readonly waiting: () => number
  /** How many slots are taken. */
  readonly taken: () => number
  /** How many organizations have calls under way or waiting for a slot. */
  readonly active: () => number
}

/** How many calls of one organization may wait, if the pace has no limit. */
const MOST_WAITING = 1_000

/** All polls have slots as one: no organization has such an id. */
const POLLS = "*"

/** What waits: for a slot alone, or for a turn. */
interface Waiting {
  readonly organizationId: string
  readonly for: "slot" | "turn" | "turn of a poll"
}

/** For whom the fiber calls the telco, and whether a request waits for the call. */
const askingOf = (caller: TelcoPorts.Caller | null, waitLimitMillis: number): FairSlots.Asking => ({
  organizationId: caller?.organizationId ?? "",
  isUrgent: caller?.isAwaited === true,
  waitLimitMillis
})

/** A slot of a call, which the call may take and give back at any time. */
interface Holding {
  /** Ends when the call has the slot. It does not end if none comes in time. */
  readonly take: Effect.Effect<void>
  /** Nothing happens if the call has none. */
  readonly give: Effect.Effect<void>
}

const holding = (slots: FairSlots.FairSlots, asking: FairSlots.Asking): Holding => {
  const { organizationId } = asking
  let isHeld = false
  const hold = (): void => {
    isHeld = true
  }
  return {
    take: Effect.suspend(() => {
      if (!slots.tryTake(organizationId)) {
        return Effect.flatMap(slots.take(asking, hold), (isTaken) => (isTaken ? Effect.void : Effect.never))
      }
      hold()
      return Effect.void
    }),
    give: Effect.sync(() => {
      if (isHeld) slots.give(organizationId)
      isHeld = false
    })
  }
}

const roomForPolls = (window: number): number => (window === 1 ? 1 : window - Math.max(1, Math.floor(window / 4)))

/** The turns of one telco, before any call. */
export const make = ({ pace, waitMillis: presetMillis, window }: Options): Turns => {
  const single = { slots: 1, mostWaiting: MOST_WAITING }
  const slots = FairSlots.make({ slots: window, mostWaiting: MOST_WAITING })
  const instants = FairSlots.make(single)
  const pollSlots = FairSlots.make({ slots: roomForPolls(window), kept: 0, mostWaiting: MOST_WAITING })
  const pollInstants = FairSlots.make(single)
  const waiting = new Set<Waiting>()
  /** Open while polls alone wait. */
  const onlyPolls = Latch.makeUnsafe(true)
  let others = 0

  const enter = (call: Waiting): void => {
    waiting.add(call)
    if (call.for !== "turn of a poll" && others++ === 0) onlyPolls.closeUnsafe()
  }

  const leave = (call: Waiting): void => {
    if (!waiting.delete(call)) return
    if (call.for !== "turn of a poll" && --others === 0) onlyPolls.openUnsafe()
  }

  const countsOf = (what: Waiting["for"]): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>()
    for (const call of waiting) {
      if (call.for === what) counts.set(call.organizationId, (counts.get(call.organizationId) ?? 0) + 1)
    }
    return counts
  }

  /**
   * How long a new call waits for the pace: for those of its organization, and as many of each
   * other one. A poll waits for all that are none.
   */
  const expectedWait = ({ for: what, organizationId }: Waiting, now: number): number => {
    const counts = countsOf(what)
    const own = counts.get(organizationId) ?? 0
    let before = own + (what === "turn of a poll" ? others : 0)
    for (const [id, count] of counts) if (id !== organizationId) before += Math.min(count, own + 1)
    return pace.at(now) - now + before * pace.interval(now)
  }

  /** At the next instant that the pace allows. One call at a time waits for it. */
  const paced = <S>(ready: Effect.Effect<S>) =>
    Effect.gen(function* () {
      while (true) {
        yield* ready
        const at = pace.at(yield* Clocks.monotonicNow)
        yield* Effect.sleep(Math.max(0, at - (yield* Clocks.monotonicNow)))
        const found = yield* ready
        // A pause may have begun, and what is ready may have come late.
        if (pace.at(at) !== at) continue
        pace.start(at, yield* Clocks.monotonicNow)
        return found
      }
    })

  /** The turn of a poll, which takes a slot only at its instant. */
  const pollPaced = <S>(ready: Effect.Effect<S>, slot: Holding) =>
    Effect.gen(function* () {
      while (true) {
        yield* onlyPolls.await
        const now = yield* Clocks.monotonicNow
        const at = pace.at(now)
        if (at > now) {
          yield* Effect.sleep(at - now)
          continue
        }
        yield* slot.take
        const found = yield* ready
        const begun = yield* Clocks.monotonicNow
        if (others === 0 && pace.at(begun) === begun) {
          pace.start(begun, begun)
          return found
        }
        yield* slot.give
      }
    })

  const take = <S, A, E, Late>({
    givenUp = Effect.never,
    isInSlot = false,
    isPoll = false,
    ready,
    tooLate,
    use,
    waitMillis = presetMillis
  }: Turn<S, A, E, Late>): Effect.Effect<A, E | Late> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const asking = askingOf(yield* TelcoPorts.Caller, waitMillis)
        const call: Waiting = { organizationId: asking.organizationId, for: isPoll ? "turn of a poll" : "turn" }
        const expected = expectedWait(call, yield* Clocks.monotonicNow)
        if (expected > waitMillis) return yield* tooLate(expected)
        const slot = holding(slots, isPoll ? { ...asking, organizationId: POLLS } : asking)
        const pollSlot = holding(pollSlots, asking)
        const coming = isPoll
          ? // What comes in the same instant and is no poll begins before it.
            Effect.andThen(
              Effect.andThen(Effect.yieldNow, pollSlot.take),
              pollInstants.run(asking, pollPaced(ready, slot), Effect.never)
            )
          : Effect.andThen(isInSlot ? Effect.void : slot.take, instants.run(asking, paced(ready), Effect.never))
        const wait = Effect.timeoutOrElse(Effect.raceFirst(coming, givenUp), {
          duration: waitMillis,
          orElse: () => Effect.flatMap(Clocks.monotonicNow, (now) => tooLate(expectedWait(call, now)))
        })
        enter(call)
        const come = Effect.ensuring(
          restore(wait),
          Effect.sync(() => leave(call))
        )
        return yield* Effect.ensuring(
          Effect.flatMap(come, (found) => restore(use(found))),
          Effect.andThen(slot.give, pollSlot.give)
        )
      })
    )

  return {
    take,
    slot: ({ mostWaiting, waitMillis }, use, none) =>
      Effect.flatMap(TelcoPorts.Caller, (caller) => {
        const asking = askingOf(caller, waitMillis)
        const call: Waiting = { organizationId: asking.organizationId, for: "slot" }
        const left = Effect.sync(() => leave(call))
        if ((countsOf("slot").get(asking.organizationId) ?? 0) >= mostWaiting) return none
        return Effect.ensuring(
          Effect.suspend(() => {
            enter(call)
            return slots.run(asking, Effect.andThen(left, use), Effect.andThen(left, none))
          }),
          left
        )
      }),
    waiting: () => waiting.size,
    taken: () => slots.held(),
    active: () => slots.active()
  }
}
