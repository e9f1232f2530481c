/**
 * What clients ask for in random runs: each request with how it is drawn, what it names, its
 * preview, and how it is made.
 */
import { Effect } from "effect"
import * as fc from "fast-check"
import * as IdempotencyKeys from "../../app/commit/IdempotencyKeys.ts"
import { Plans } from "../../app/plans/Plans.ts"
import { Returns } from "../../app/sims/Returns.ts"
import { SimCorrections } from "../../app/sims/SimCorrections.ts"
import { Stock } from "../../app/sims/Stock.ts"
import { Wallet } from "../../app/sims/Wallet.ts"
import { Attachments } from "../../app/subscriptions/Attachments.ts"
import { Messages } from "../../app/subscriptions/Messages.ts"
import { Pauses } from "../../app/subscriptions/Pauses.ts"
import { Replacements } from "../../app/subscriptions/Replacements.ts"
import { Subscriptions } from "../../app/subscriptions/Subscriptions.ts"
import type { Answers } from "../../domain/Idempotency.ts"
import * as Idempotency from "../../domain/Idempotency.ts"
import type { Plan } from "../../domain/Plan.ts"
import { isUsed } from "../../domain/Sim.ts"
import { HIGHEST } from "../../domain/Stock.ts"
import { DAY } from "../../domain/Time.ts"
import { reasons } from "../../domain/Withdrawal.ts"
import type { Services } from "../../Services.ts"
import * as Arbitraries from "../Arbitraries.ts"
import * as JsonText from "../JsonText.ts"
import type { Answer, Outcome, Request, Side } from "./Command.ts"
import type * as Kind from "./Kind.ts"
import { by, done, nothing, place, rarely, request } from "./Kind.ts"
import * as Session from "./Session.ts"
import { lineOf, organizationOf, ownerOf, pick, pickBack } from "./Session.ts"

/** A label that plans have often, or rarely. */
export const label = fc.oneof(
  { weight: 5, arbitrary: fc.constant("Green" as const) },
  { weight: 1, arbitrary: fc.constant("Aqua" as const) }
)

const period = fc.option(Arbitraries.activePeriods, { freq: 3 })

/**
 * Activation codes by SGP.22, with and without the prefix of QR codes, none, and one of a format
 * that is not known.
 */
const lpa = fc.constantFrom(
  "LPA:1$smdp.example$",
  "LPA:1$smdp.example$OTHER",
  "LPA:1$smdp.example$OTHER$1.3.6.1$1",
  "1$smdp.example$OTHER",
  null,
  "LPA:2$smdp.example$OTHER"
)

/** Whether a SIM is withdrawn, and why. */
export const status = fc.oneof(
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("Withdrawn" as const), reason: fc.constantFrom(...reasons) }) },
  { weight: 2, arbitrary: fc.constant({ _tag: "Available" } as const) }
)

const level = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 5 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, HIGHEST, HIGHEST + 1) }
)

const levels = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.record({ label, level })) },
  {
    weight: 2,
    arbitrary: fc.tuple(level, level).map(([green, aqua]) => [
      { label: "Green" as const, level: green },
      { label: "Aqua" as const, level: aqua }
    ])
  },
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.record({ label, level }).map((one) => [one, one]) }
)

interface By {
  readonly by: Side
  readonly foreign: boolean
}

/** Who asks, and whether for what is another organization's. */
const asker = (session: Session.Session, { by, foreign }: By) => ({
  organizationId: organizationOf(session, by),
  foreign
})

/** Who asks, and the SIM in service that is named. */
const onLine = (session: Session.Session, command: By & { readonly line: number }) =>
  Effect.map(lineOf(session, ownerOf(command), command.line), (iccid) => ({ ...asker(session, command), iccid }))

/** What a client sends: each try writes the same JSON in a way of its own (rule W2). */
interface Sent {
  readonly request: Request
  readonly attempt: number
}

/** The request under its idempotency key, if it has one. */
const once = <Kind extends keyof Answers, E>(
  { attempt, request: { key, organizationId, ...request } }: Sent,
  kind: Kind,
  effect: Effect.Effect<Answers[Kind], E, Services>
) =>
  key === null
    ? effect
    : IdempotencyKeys.IdempotencyKeys.use((keys) => keys.once(kind, effect)).pipe(
        Effect.provideService(IdempotencyKeys.CurrentRequest, {
          organizationId,
          key,
          fingerprint: Idempotency.meaning(request._tag, JSON.parse(JsonText.of(request, attempt)))
        })
      )

const send = (sent: Sent): Effect.Effect<Answer, Kind.Failure, Services> => {
  const { request } = sent
  if (request._tag === "SendSms") {
    const sms = Messages.use((of) => of.send({ ...request, from: "simplan" }))
    return Effect.as(once(sent, "Sms", sms), done)
  }
  const created = Subscriptions.use((of) => of.create({ ...request, activePeriod: request.period }))
  return Effect.map(once(sent, "Created", created), (created) => ({ kind: "Created", created }))
}

/** A request that may come again, if it has a key. */
const sent = (session: Session.Session, asked: Request, preview?: Effect.Effect<unknown, Kind.Failure, Services>) => {
  const { outcome } = request(session, asked, {
    make: send({ request: asked, attempt: 0 }),
    answer: (answer) => answer,
    ...(preview !== undefined && { preview })
  })
  // Before anything of it is done, so that what is asked at the same time may repeat it.
  const remember = Effect.map(session.simulated.now, (at) => {
    if (asked.key !== null) session.keyed.push({ at, request: asked })
  })
  return { asked, outcome: Effect.andThen(remember, outcome) }
}

const asPlan = (plan: Plan): Answer => ({ kind: "Plan", plan })

export const createPlan: Kind.Kind<"CreatePlan"> = {
  weight: 4,
  fields: (bounds) =>
    fc
      .record({
        by,
        label,
        coverage: fc.nat(2),
        request: fc.oneof(
          { weight: 9, arbitrary: Arbitraries.planRequests(bounds).map((terms) => ({ terms, field: null })) },
          { weight: 1, arbitrary: Arbitraries.invalidPlanRequests(bounds) }
        )
      })
      .map(({ request: { field, terms }, ...drawn }) => ({ ...drawn, terms, flaw: field })),
  resolve: (session, { by, coverage, flaw, label, terms }) => {
    const coverageId = pick(session.simulated.coverageIds(label), coverage) ?? ""
    const named = asker(session, { by, foreign: false })
    const asked = { _tag: "CreatePlan", ...named, terms: { ...terms, coverageId }, flaw } as const
    const { outcome } = request(session, asked, { make: Plans.use((of) => of.create(asked)), answer: asPlan })
    const remember = (of: Outcome) => {
      if (of._tag === "Answered" && of.answer.kind === "Plan") session.plans[by].push(of.answer.plan)
      return of
    }
    return Effect.succeed({ asked, outcome: Effect.map(outcome, remember) })
  }
}

/** A plan is archived, taken back, or deleted. */
const ofPlan = <Name extends "ArchivePlan" | "UnarchivePlan" | "DeletePlan", A>(
  _tag: Name,
  makingOf: (plan: { readonly organizationId: string; readonly planId: string }) => Kind.Making<A>
): Kind.Kind<Name> => ({
  weight: 1,
  fields: () => fc.record({ by, plan: place, foreign: rarely(5) }),
  resolve: (session, command) => {
    const planId = Session.planOf(session, command)
    if (planId === undefined) return Effect.succeed(nothing)
    const of = { ...asker(session, command), planId }
    return Effect.succeed(request(session, { _tag, ...of }, makingOf(of)))
  }
})

export const archivePlan = ofPlan("ArchivePlan", (plan) => ({
  make: Plans.use((of) => of.archive(plan)),
  answer: asPlan
}))

export const unarchivePlan = ofPlan("UnarchivePlan", (plan) => ({
  make: Plans.use((of) => of.unarchive(plan)),
  answer: asPlan
}))

export const deletePlan = ofPlan("DeletePlan", (plan) => ({ make: Plans.use((of) => of.remove(plan)) }))

/** The bundles that plans may be, as their telco names them. */
const LOADS = ["1 GB", "5 GB"]

/** It is drawn by runs that buy alone. */
export const setBundle: Kind.Kind<"SetBundle"> = {
  weight: 0,
  fields: () => fc.record({ by, plan: place, foreign: rarely(8), load: fc.option(fc.nat(1), { freq: 6 }) }),
  resolve: (session, command) => {
    const planId = Session.planOf(session, command)
    if (planId === undefined) return Effect.succeed(nothing)
    const load = command.load === null ? null : (pick(LOADS, command.load) ?? null)
    const of = { ...asker(session, command), planId }
    const bundle = load === null ? null : { load, topUpLoad: null, limit: null }
    const make = Plans.use((plans) => plans.setBundle({ ...of, bundle }))
    return Effect.succeed(request(session, { _tag: "SetBundle", ...of, load }, { make, answer: asPlan }))
  }
}

/** It is drawn by runs that buy alone. */
export const returnSim: Kind.Kind<"ReturnSim"> = {
  weight: 0,
  fields: () => fc.record({ by, back: fc.nat(3), foreign: rarely(8) }),
  resolve: Effect.fnUntraced(function* (session, command) {
    const organizationId = organizationOf(session, ownerOf(command))
    const iccids = session.simulated.iccids(organizationId)
    const page = { organizationId, isEsim: true, label: null, after: null, limit: iccids.length }
    const bought = (yield* session.simulated.storage.sims.page(page)).filter(({ purchase }) => purchase !== null)
    const unsold = bought.filter((sim) => !isUsed(sim)).map(({ iccid }) => iccid)
    const iccid = pickBack(unsold.length === 0 ? iccids : unsold, command.back)
    if (iccid === undefined) return nothing
    const of = { ...asker(session, command), iccid }
    const make = Returns.use((returns) => returns.giveBack(of))
    return request(session, { _tag: "ReturnSim", ...of }, { make })
  })
}

const order = Effect.fnUntraced(function* (
  session: Session.Session,
  command: By & { readonly keyed: boolean; readonly period: Arbitraries.PeriodFromNow | null },
  planId: string,
  iccid: string | null
) {
  const number = session.nextRequest++
  const now = yield* session.simulated.now
  const at = (distance: number | null) => (distance === null ? null : now + distance)
  const period = command.period && { start: at(command.period.start), end: at(command.period.end) }
  const key = command.keyed ? `key-${number}` : null
  const of = { ...asker(session, command), planId, iccid, metadata: `request ${number}` }
  const preview = Subscriptions.use((services) => services.previewCreate({ ...of, activePeriod: period }))
  return sent(session, { _tag: "Subscribe", ...of, period, key }, preview)
})

export const subscribe: Kind.Kind<"Subscribe"> = {
  weight: 12,
  fields: () =>
    fc.record({ by, plan: place, sim: fc.option(place, { freq: 1 }), foreign: rarely(10), period, keyed: rarely(3) }),
  resolve: Effect.fnUntraced(function* (session, command) {
    const { by, foreign, sim } = command
    // A foreign request names the other's plan if no SIM is named, and the other's SIM if one
    // is.
    const planId = Session.planOf(session, { by, foreign: foreign && sim === null, plan: command.plan })
    if (planId === undefined) return nothing
    const owner = ownerOf(command)
    const left = yield* Session.leftOf(session, owner, command.left)
    const named = sim === null ? null : pick(session.simulated.iccids(organizationOf(session, owner)), sim)
    return yield* order(session, command, planId, left ?? named ?? null)
  })
}

export const topUp: Kind.Kind<"TopUp"> = {
  weight: 3,
  fields: () => fc.record({ by, plan: place, line: place, period, keyed: rarely(3) }),
  resolve: Effect.fnUntraced(function* (session, command) {
    const of = { ...command, foreign: false }
    const planId = Session.planOf(session, of)
    if (planId === undefined) return nothing
    return yield* order(session, of, planId, yield* lineOf(session, command.by, command.line))
  })
}

export const suspend: Kind.Kind<"Suspend"> = {
  weight: 3,
  fields: () => fc.record({ by, line: place, attachment: place, foreign: rarely(8) }),
  resolve: Effect.fnUntraced(function* (session, command) {
    const onSim = yield* onLine(session, command)
    const found = pick(yield* Session.attachmentsOf(session, ownerOf(command), onSim.iccid), command.attachment)
    if (found === undefined) return nothing
    const asked = { _tag: "Suspend", ...onSim, attachmentId: found.attachment.attachmentId } as const
    return request(session, asked, {
      make: Attachments.use((of) => of.suspend(asked)),
      preview: Attachments.use((of) => of.previewSuspend(asked))
    })
  })
}

export const remove: Kind.Kind<"Delete"> = {
  weight: 3,
  fields: () => fc.record({ by, line: place, foreign: rarely(8) }),
  resolve: Effect.fnUntraced(function* (session, command) {
    const asked = { _tag: "Delete", ...(yield* onLine(session, command)) } as const
    const refusal = Effect.map(
      Subscriptions.use((of) => of.previewRemove(asked)),
      (previewed) => previewed.refusal
    )
    return request(session, asked, {
      make: Subscriptions.use((of) => of.remove(asked)),
      preview: Effect.flatMap(refusal, (found) => (found === null ? Effect.void : Effect.fail(found)))
    })
  })
}

export const replace: Kind.Kind<"Replace"> = {
  weight: 4,
  fields: () => fc.record({ by, line: place, foreign: rarely(8) }),
  resolve: Effect.fnUntraced(function* (session, command) {
    const asked = { _tag: "Replace", ...(yield* onLine(session, command)) } as const
    return request(session, asked, {
      make: Replacements.use((of) => of.replace(asked)),
      answer: (replaced) => ({ kind: "Replaced", replaced }),
      preview: Replacements.use((of) => of.previewReplace(asked))
    })
  })
}

export const pause: Kind.Kind<"Pause"> = {
  weight: 4,
  fields: () => fc.record({ by, line: place, paused: fc.boolean(), foreign: rarely(8) }),
  resolve: Effect.fnUntraced(function* (session, command) {
    const { paused } = command
    const asked = { _tag: "Pause", ...(yield* onLine(session, command)), paused } as const
    return request(session, asked, {
      make: Pauses.use((of) => (paused ? of.pause(asked) : of.resume(asked))),
      preview: Pauses.use((of) => (paused ? of.previewPause(asked) : of.previewResume(asked)))
    })
  })
}

export const sendSms: Kind.Kind<"SendSms"> = {
  weight: 2,
  fields: () => fc.record({ by, line: place, foreign: rarely(6), keyed: fc.boolean() }),
  resolve: Effect.fnUntraced(function* (session, command) {
    const onSim = yield* onLine(session, command)
    const number = session.nextRequest++
    const key = command.keyed ? `key-${number}` : null
    return sent(session, { _tag: "SendSms", ...onSim, text: `message ${number}`, key })
  })
}

/** How long an idempotency key is good for (rule W2). */
const KEY_LIFE = DAY

export const repeat: Kind.Kind<"Repeat"> = {
  weight: 3,
  fields: () => fc.record({ back: fc.nat(2) }),
  resolve: Effect.fnUntraced(function* (session, { back }) {
    const now = yield* session.simulated.now
    const good = session.keyed.filter(({ at }) => now - at < KEY_LIFE)
    const found = pickBack(good, back)
    if (found === undefined) return nothing
    return request(
      session,
      { _tag: "Repeat", request: found.request },
      {
        make: Effect.suspend(() => send({ request: found.request, attempt: 1 + session.keyed.length })),
        answer: (answer) => answer
      }
    )
  })
}

export const setMobilePlan: Kind.Kind<"SetMobilePlan"> = {
  weight: 3,
  fields: () =>
    fc.record({
      by,
      sim: fc.option(place, { freq: 2 }),
      label,
      apply: fc.boolean(),
      foreign: rarely(8)
    }),
  resolve: Effect.fnUntraced(function* (session, command) {
    const { apply, by, label, sim } = command
    const foreign = command.foreign && sim !== null
    const owner = ownerOf({ by, foreign })
    const left = yield* Session.leftOf(session, owner, command.left)
    const named = sim === null ? null : pick(session.simulated.iccids(organizationOf(session, owner)), sim)
    const who = asker(session, { by, foreign })
    const asked = { _tag: "SetMobilePlan", ...who, iccid: left ?? named ?? null, label, apply } as const
    return request(session, asked, {
      make: Wallet.use((of) => of.setMobilePlan(asked)),
      answer: (status) => ({ kind: "MobilePlan", status })
    })
  })
}

export const correctSim: Kind.Kind<"CorrectSim"> = {
  weight: 3,
  fields: () =>
    fc.record({
      by,
      sim: place,
      foreign: rarely(8),
      correction: fc.oneof(
        { weight: 5, arbitrary: fc.record({ status }) },
        { weight: 2, arbitrary: fc.record({ label }) },
        { weight: 2, arbitrary: fc.record({ lpa }) },
        { weight: 1, arbitrary: fc.record({ label, lpa, status }, { requiredKeys: [] }) }
      )
    }),
  resolve: (session, command) => {
    const { correction, sim } = command
    const iccid = pick(session.simulated.iccids(organizationOf(session, ownerOf(command))), sim)
    if (iccid === undefined) return Effect.succeed(nothing)
    const whose = { ...asker(session, command), iccid }
    const { status, ...rest } = correction
    // The correction as a client sends it.
    const given = {
      ...whose,
      ...rest,
      ...(status === undefined ? {} : { status: status._tag === "Available" ? "available" : "withdrawn" }),
      ...(status?._tag === "Withdrawn" ? { reason: status.reason } : {})
    }
    const making = {
      make: SimCorrections.use((of) => of.correct(given)),
      preview: SimCorrections.use((of) => of.previewCorrect(given))
    }
    return Effect.succeed(request(session, { _tag: "CorrectSim", ...whose, correction }, making))
  }
}

export const setStockLevels: Kind.Kind<"SetStockLevels"> = {
  weight: 2,
  fields: () => fc.record({ by, levels }),
  resolve: (session, { by, levels }) => {
    const asked = { _tag: "SetStockLevels", ...asker(session, { by, foreign: false }), levels } as const
    return Effect.succeed(request(session, asked, { make: Stock.use((of) => of.setLevels(asked)) }))
  }
}
