/**
 * Storage and a journal that go back to an earlier state, as a database after the restore of a
 * backup. Up to the backup all that is done is done to a second one too, which then stays as it is:
 * the backup.
 */
import { Context, Effect } from "effect"

type Method = (...args: ReadonlyArray<unknown>) => unknown

const isMethod = (value: unknown): value is Method => typeof value === "function"

/** Does an effect on both, and gives the outcome of the first one. Calls of them are made alike. */
const both = (one: unknown, other: unknown, isMirrored: () => boolean): unknown => {
  if (Effect.isEffect(one) && Effect.isEffect(other)) {
    return Effect.suspend(() =>
      isMirrored() ? Effect.tap(Effect.exit(one), Effect.exit(other)) : Effect.exit(one)
    ).pipe(Effect.flatten)
  }
  if (isMethod(one) && isMethod(other)) {
    const call: Method = (...args) => both(one(...args), other(...args), isMirrored)
    return call
  }
  if (typeof one === "object" && one !== null && Object.getPrototypeOf(one) === Object.prototype) {
    const others = Object(other)
    return Object.fromEntries(Object.entries(one).map(([key, value]) => [key, both(value, others[key], isMirrored)]))
  }
  return one
}

/** A backup of services: `live` is used until the restore, and `backup` from it on. */
export interface Backup<A> {
  readonly live: Context.Context<A>
  readonly backup: Context.Context<A>
  /** Makes the backup: from now on only `live` changes. */
  readonly take: () => void
}

/** Of two that are equal. */
export const of = <A>(live: Context.Context<A>, backup: Context.Context<A>): Backup<A> => {
  let isTaken = false
  const services = Array.from(live.mapUnsafe, ([key, service]): [string, unknown] => [
    key,
    both(service, backup.mapUnsafe.get(key), () => !isTaken)
  ])
  return {
    live: Context.makeUnsafe(new Map(services)),
    backup,
    take: () => {
      isTaken = true
    }
  }
}
