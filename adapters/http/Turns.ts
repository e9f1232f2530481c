/**
 * Requests in the turns of the event loop (rule W13), and long pieces of work, one in each turn.
 * What callers send is parsed a few pieces at a time: without a proven key of each address in turn,
 * with a key of each organization in turn. Between two turns the event loop serves everybody else,
 * so a thousand addresses delay a key by one turn, and a new caller by one request of each address.
 *
 * libuv accepts one connection in a turn of the event loop. So while connections arrive in each
 * turn, nothing else begins: turns stay short, and a new caller waits behind no more than the
 * accepting of the connections before it.
 */
import { Effect } from "effect"
import { RequestContext } from "simplan"

/** How many begin in one turn of the event loop, and for how many ms; at least one. */
const MOST = 16
const MILLIS = 2

/** For how many ms nothing begins while connections arrive, and after how many ms again. */
const ACCEPTING = { millis: 100, every: 500 }

export interface Turns {
  /**
   * Whether a request may begin at once: nothing waits, and few have begun in this turn. It counts
   * as begun then.
   */
  readonly mayBegin: () => boolean
  /**
   * Runs something when it is the turn of its caller, unless what `add` returns is called before.
   * It must not throw.
   */
  readonly add: (caller: string, run: () => void) => () => void
  /** A connection was accepted in this turn, so that another may wait to be. */
  readonly accepted: () => void
}

/**
 * `nextTurn` runs something in the next turn of the event loop; `now` is in ms; `most` begin in
 * one.
 */
export const make = (
  nextTurn: (run: () => void) => void = setImmediate,
  now: () => number = () => performance.now(),
  most: number = MOST
): Turns => {
  /** What waits, by caller, in the order of their turns. */
  const waiting = new Map<string, Array<() => void>>()
  let begun = 0
  let since = 0
  let isDue = false
  let isAccepting = false
  let acceptingSince = Number.NEGATIVE_INFINITY

  const plan = (): void => {
    if (isDue) return
    isDue = true
    nextTurn(turn)
  }

  const isHeld = (): boolean => isAccepting && now() - acceptingSince < ACCEPTING.millis

  const hasRoom = (): boolean => begun === 0 || (begun < most && now() - since < MILLIS)

  const count = (): void => {
    if (begun === 0) since = now()
    begun += 1
  }

  const turn = (): void => {
    isDue = false
    begun = 0
    // What is added meanwhile has to wait for its turn too.
    if (waiting.size > 0) plan()
    const isHeldNow = isHeld()
    isAccepting = false
    if (isHeldNow) return
    while (hasRoom()) {
      const [first] = waiting
      if (first === undefined) return
      const [caller, runs] = first
      const run = runs.shift()
      waiting.delete(caller)
      if (runs.length > 0) waiting.set(caller, runs)
      if (run === undefined) continue
      count()
      run()
    }
  }

  return {
    mayBegin: () => {
      if (waiting.size > 0 || isHeld() || !hasRoom()) return false
      count()
      plan()
      return true
    },
    add: (caller, run) => {
      const runs = waiting.get(caller)
      if (runs === undefined) waiting.set(caller, [run])
      else runs.push(run)
      plan()
      return () => {
        const left = waiting.get(caller)?.filter((one) => one !== run) ?? []
        if (left.length > 0) waiting.set(caller, left)
        else waiting.delete(caller)
      }
    },
    accepted: () => {
      isAccepting = true
      const at = now()
      if (at - acceptingSince >= ACCEPTING.every) acceptingSince = at
      plan()
    }
  }
}

const pieces = make(setImmediate, performance.now.bind(performance), 1)

/**
 * Ends when it is the turn of a long piece of work, such as the parsing of a large body: of all
 * callers one piece in each turn of the event loop, by turns of callers. Another request waits for
 * one piece, however many are due.
 */
export const piece: Effect.Effect<void> = Effect.flatMap(RequestContext.Current, ({ actor, address }) =>
  Effect.callback((resume) => {
    const remove = pieces.add(actor ?? address ?? "", () => resume(Effect.void))
    return Effect.sync(remove)
  })
)
