/**
 * What happens around the requests of random runs: time goes on, processes are killed and started,
 * and the telco fails.
 */
import { Effect } from "effect"
import * as fc from "fast-check"
import { Clock } from "../../app/engine/Clock.ts"
import { Problems } from "../../app/organizations/Problems.ts"
import type { WithPackages } from "../../domain/Attachment.ts"
import * as Recurrence from "../../domain/Recurrence.ts"
import { DAY, END_OF_TIME, HOUR, type Instant } from "../../domain/Time.ts"
import * as Arbitraries from "../Arbitraries.ts"
import { faults, type Simulated } from "../Simulated.ts"
import type { Command, Outcome } from "./Command.ts"
import type * as Kind from "./Kind.ts"
import { answered, broken, by, done, nothing, place, request } from "./Kind.ts"
import { attachmentsOf, lineOf, pick, type Session } from "./Session.ts"

const advancing = (session: Session, to: Instant): Kind.Resolved =>
  request(session, { _tag: "Advance", to }, { make: Clock.use((of) => of.advanceTo(to)) })

export const advance: Kind.Kind<"Advance"> = {
  weight: 10,
  fields: (bounds) => fc.record({ millis: Arbitraries.spans(bounds.advance) }),
  resolve: (session, { millis }) =>
    Effect.map(session.simulated.now, (now) => advancing(session, Math.min(now + millis, END_OF_TIME - 1)))
}

/** The first instant after now at which the attachment changes in that way. */
const boundaryOf = (
  { attachment, packages }: WithPackages,
  boundary: "due" | "activation" | "expiry",
  now: Instant
): Instant | undefined => {
  const { anchor, terms } = attachment
  const later = (instants: ReadonlyArray<Instant | null>) => instants.filter((at) => at !== null).find((at) => at > now)
  if (terms.recurrence !== null && anchor !== null && boundary !== "expiry") {
    const next = Recurrence.dueCount(terms.recurrence, anchor, now)
    if (next >= terms.recurrence.occurrences) return undefined
    const due = Recurrence.dueAt(terms.recurrence, anchor, next)
    return boundary === "due" ? due : due + Recurrence.PROVISIONING_LEAD
  }
  return later(packages.map((pack) => (boundary === "expiry" ? pack.expirationAt : pack.activationAt)))
}

export const advanceTo: Kind.Kind<"AdvanceTo"> = {
  weight: 6,
  fields: () =>
    fc.record({
      of: by,
      line: place,
      attachment: place,
      boundary: fc.constantFrom("due" as const, "activation" as const, "expiry" as const),
      beside: fc.constantFrom(0, -1, 1)
    }),
  resolve: Effect.fnUntraced(function* (session, command) {
    const iccid = yield* lineOf(session, command.of, command.line)
    const chosen = pick(yield* attachmentsOf(session, command.of, iccid), command.attachment)
    const now = yield* session.simulated.now
    const at = chosen === undefined ? undefined : boundaryOf(chosen, command.boundary, now)
    return at === undefined ? nothing : advancing(session, Math.max(now, at + command.beside))
  })
}

/** What is done to the simulation itself. */
const around = (asked: Command<"Kill" | "Restart" | "Fault" | "Quiet">, effect: Effect.Effect<unknown>) =>
  Effect.succeed({ asked, outcome: Effect.as(effect, answered(done)) })

export const kill: Kind.Kind<"Kill"> = {
  weight: 3,
  fields: () =>
    fc.record({
      commits: fc.integer({ min: 1, max: 4 }),
      when: fc.constantFrom("before" as const, "after" as const)
    }),
  resolve: ({ simulated }, command) => around(command, simulated.kill(command))
}

export const restart: Kind.Kind<"Restart"> = {
  weight: 2,
  fields: (bounds) =>
    fc.record({
      downtime: fc.oneof(fc.constant(0), Arbitraries.spans(Math.min(bounds.advance, 60 * DAY)))
    }),
  resolve: ({ simulated }, command) => around(command, Effect.orDie(simulated.sleepThrough(command.downtime)))
}

export const fault: Kind.Kind<"Fault"> = {
  weight: 5,
  fields: () =>
    fc.record({
      fault: fc.constantFrom(...faults, null),
      times: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 40 }))
    }),
  resolve: ({ simulated }, command) => around(command, simulated.setFault(command.fault, command.times))
}

/** As long as it takes until everything that was put off is tried again, with some to spare. */
const PUT_OFF = HOUR + 1

/**
 * What an operator does once the telco is well again: retries each problem (rule S6). How many
 * there were.
 */
const retryProblems = Effect.gen(function* () {
  const problems = yield* Problems
  const { items } = yield* problems.page({ after: null, limit: 1_000 })
  for (const { jobId } of items) yield* problems.retry({ problemId: jobId })
  return items.length
})

const quieted = (simulated: Simulated): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    yield* simulated.setFault(null, 0)
    yield* Effect.orDie(simulated.restart)
    yield* simulated.arrivals
    const rest = Effect.match(simulated.advanceBy(PUT_OFF), { onFailure: broken, onSuccess: () => answered(done) })
    const outcome = yield* rest
    const retried = yield* Effect.orDie(simulated.use(retryProblems))
    return retried === 0 ? outcome : yield* rest
  })

export const quiet: Kind.Kind<"Quiet"> = {
  weight: 1,
  fields: () => fc.constant({}),
  resolve: ({ simulated }, command) => Effect.succeed({ asked: command, outcome: quieted(simulated) })
}
