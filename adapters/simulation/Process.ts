/**
 * The processes of a simulated service, one after the other over the same ports.
 *
 * One that is killed stands still at a commit, before it or after it: from there on nothing that it does reaches the
 * storage, the telco or a webhook's receiver, and whoever waits for it waits for ever.
 */
import { Context, Effect, Latch } from "effect"
import * as Around from "./Around.ts"
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
        // A commit that fails is one to stand still at, too: otherwise those who wait for the process would never end.
        return when === "before" ? standStill : Effect.andThen(Effect.exit(storage.commit(written)), standStill)
      })
    const alive: Around.Decoration = { ask: (_, argument) => argument, run: (_, operation) => whileAlive(operation) }
    return {
      isDead,
      ports: ports.pipe(
        Context.add(Storage.Storage, Around.around({ ...storage, commit }, alive)),
        Context.add(Jobs.Jobs, Around.around(jobs, alive)),
        Context.add(Outbox.Outbox, Around.around(outbox, alive)),
        Context.add(Telco.Telco, Around.around(telco, alive)),
        Context.add(WebhookSender.WebhookSender, Around.around(sender, alive))
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
