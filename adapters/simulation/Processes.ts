/**
 * The processes of a simulated service, one after the other over the same ports; what is put around
 * every operation of a port; and what breaks in a process.
 *
 * A process that is killed stands still at a commit, before it or after it: from there on nothing
 * that it does reaches the storage, the telco or a webhook's receiver, and whoever waits for it
 * waits for ever.
 */
import { Context, Effect, Latch, Cause, Logger } from "effect"
import { Jobs, Outbox, Storage, Telco, WebhookSender } from "simplan/ports"

/** Where a process is to be killed. */
export interface Death {
  readonly commits: number
  readonly when: "before" | "after"
}

type Killable = Storage.Storage | Jobs.Jobs | Outbox.Outbox | Telco.Telco | WebhookSender.WebhookSender

export interface Process {
  /** The ports as the process reaches them while it lives. */
  readonly ports: Context.Context<Killable>
  readonly isDead: () => boolean
}

export interface Processes {
  /** The next process; the one before stands still for good. */
  readonly next: () => Process
  /** Kills the present one when it gets there; null: it lives. Replaces what was said before. */
  readonly kill: (at: Death | null) => void
  /** Ends when the present one stands still. */
  readonly killed: Effect.Effect<void>
}

/** Processes over these ports; none is there yet. */
export const over = (ports: Context.Context<Killable>): Processes => {
  const storage = Context.get(ports, Storage.Storage)
  const jobs = Context.get(ports, Jobs.Jobs)
  const outbox = Context.get(ports, Outbox.Outbox)
  const telco = Context.get(ports, Telco.Telco)
  const sender = Context.get(ports, WebhookSender.WebhookSender)
  let present = { dead: false, standsStill: Latch.makeUnsafe(false) }
  let death: Death | null = null

  const next = (): Process => {
    const own = { dead: false, standsStill: Latch.makeUnsafe(false) }
    present.dead = true
    present.standsStill.openUnsafe()
    present = own
    death = null
    const isDead = () => own.dead
    const standStill = Effect.suspend(() => {
      own.standsStill.openUnsafe()
      return Effect.never
    })
    const whileAlive = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => (isDead() ? Effect.never : work))
    const commit = (written: Storage.Commit) =>
      Effect.suspend(() => {
        if (death === null) return storage.commit(written)
        const { commits, when } = death
        if (commits > 1) {
          death = { commits: commits - 1, when }
          return storage.commit(written)
        }
        own.dead = true
        // A commit that fails is one to stand still at, too: otherwise those who wait for the
        // process would never end.
        return when === "before" ? standStill : Effect.andThen(Effect.exit(storage.commit(written)), standStill)
      })
    const alive: Decoration = { ask: (_, argument) => argument, run: (_, operation) => whileAlive(operation) }
    return {
      isDead,
      ports: ports.pipe(
        Context.add(Storage.Storage, around({ ...storage, commit }, alive)),
        Context.add(Jobs.Jobs, around(jobs, alive)),
        Context.add(Outbox.Outbox, around(outbox, alive)),
        Context.add(Telco.Telco, around(telco, alive)),
        Context.add(WebhookSender.WebhookSender, around(sender, alive))
      )
    }
  }

  return {
    next,
    kill: (at) => {
      death = at
    },
    killed: Effect.suspend(() => present.standsStill.await)
  }
}

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

/**
 * The service with all its operations decorated; an operation of a group is named
 * `group.operation`.
 */
export function around<Service extends object>(service: Service, decoration: Decoration, prefix?: string): Service
export function around(service: object, decoration: Decoration, prefix = ""): object {
  return Object.fromEntries(
    Object.entries(service).map(([name, member]) => [name, decorated(prefix + name, member, decoration)])
  )
}

export interface Mishaps {
  readonly messages: ReadonlyArray<string>
  readonly add: (message: string) => void
  readonly loggers: ReadonlySet<Logger.Logger<unknown, void>>
}

const text = (message: unknown): string =>
  Array.isArray(message) ? message.map(text).join(" ") : typeof message === "string" ? message : JSON.stringify(message)

/** A log that is empty yet. */
export const mishaps = (): Mishaps => {
  const messages: Array<string> = []
  const logger = Logger.make<unknown, void>(({ cause, message }) => {
    if (cause.reasons.length > 0) messages.push(`${text(message)}: ${String(Cause.squash(cause))}`)
  })
  return { messages, add: (message) => void messages.push(message), loggers: new Set([logger]) }
}
