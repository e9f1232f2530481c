/**
 * Puts something around every operation of a port. An operation that is added to a port later is covered as well.
 */
import { Effect } from "effect"

export interface Decoration {
  /** What an operation is asked, given what its caller asks. */
  readonly ask: (name: string, argument: unknown) => unknown
  readonly run: (name: string, operation: Effect.Effect<unknown, unknown>) => Effect.Effect<unknown, unknown>
}

/** An Effect that is a member of a service needs nothing more to run. */
const isOperation = (value: unknown): value is Effect.Effect<unknown, unknown> => Effect.isEffect(value)

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const decorated = (name: string, member: unknown, decoration: Decoration): unknown => {
  if (isOperation(member)) return decoration.run(name, member)
  if (typeof member === "function") {
    return (argument: unknown, ...more: ReadonlyArray<unknown>) => {
      const operation: unknown = member(decoration.ask(name, argument), ...more)
      return isOperation(operation) ? decoration.run(name, operation) : operation
    }
  }
  return isObject(member) ? around(member, decoration, `${name}.`) : member
}

/** The service with all its operations decorated; an operation of a group is named `group.operation`. */
export function around<Service extends object>(service: Service, decoration: Decoration, prefix?: string): Service
export function around(service: object, decoration: Decoration, prefix = ""): object {
  return Object.fromEntries(
    Object.entries(service).map(([name, member]) => [name, decorated(prefix + name, member, decoration)])
  )
}
