/**
 * The calls that stories make, with what they commonly leave out.
 */
import { Effect, type Result } from "effect"
import { expect } from "vitest"
import { Attachments, IdempotencyKeys, Reports, Sims, Subscriptions, Webhooks } from "simplan"
import type { TelcoReport } from "simplan/ports"
import type * as World from "./World.ts"

interface Creation {
  readonly planId: string
  readonly iccid?: string
  readonly start?: number
  readonly end?: number
  readonly metadata?: string
}

export const creation = ({ organizationId }: World.World, request: Creation) => {
  const { end, iccid, metadata = "trip", planId, start } = request
  const activePeriod = start === undefined ? null : { start, end: end ?? null }
  return Subscriptions.Subscriptions.use((of) =>
    of.create({ organizationId, planId, metadata, iccid: iccid ?? null, activePeriod })
  )
}

/** A creation and its outcome, refusals included. */
export const create = (world: World.World, request: Creation) => world.run(Effect.result(creation(world, request)))

/** Deletes the subscription of the SIM. */
export const remove = ({ organizationId, run }: World.World, iccid: string) =>
  run(Subscriptions.Subscriptions.use((of) => of.remove({ organizationId, iccid })))

/** An endpoint for events of these types. */
export const listen = ({ organizationId, run }: World.World, events: ReadonlyArray<string>) =>
  run(
    Webhooks.Webhooks.use((of) =>
      of.create({ organizationId, url: "https://events.example/", events, description: "" })
    )
  )

/** Has a request come under an idempotency key. */
export const underKey = (world: World.World, key: string, fingerprint = "the same request") =>
  Effect.provideService(IdempotencyKeys.CurrentRequest, { organizationId: world.organizationId, key, fingerprint })

/**
 * A creation under an idempotency key, as often as it is asked for; how it ended, defects included.
 */
export const order = (
  world: World.World,
  request: Creation & { readonly key?: string; readonly fingerprint?: string }
) =>
  world.run(
    IdempotencyKeys.IdempotencyKeys.use((keys) => keys.once("Created", creation(world, request))).pipe(
      underKey(world, request.key ?? "order-1", request.fingerprint),
      Effect.result
    )
  )

/**
 * Of requests under one key at once one goes on, and the others are in progress or get its outcome.
 */
export const expectOneToGoOn = (answers: ReadonlyArray<Result.Result<unknown, unknown>>): void => {
  expect(answers.some(({ _tag }) => _tag === "Success")).toBe(true)
  for (const answer of answers) {
    if (answer._tag === "Failure") expect(answer.failure).toMatchObject({ _tag: "RequestInProgress" })
  }
}

export const sim = (world: World.World, iccid: string) =>
  world.run(Sims.Sims.use((of) => of.get({ organizationId: world.organizationId, iccid })))

export const attachments = (world: World.World, iccid: string) =>
  world.run(Attachments.Attachments.use((of) => of.list({ organizationId: world.organizationId, iccid })))

/** The only attachment of the SIM. */
export const attachment = async (world: World.World, iccid: string) => {
  const [only, ...others] = await attachments(world, iccid)
  if (only === undefined || others.length > 0) throw new Error("there is not exactly one attachment")
  return only
}

let nextReport = 1

/** Reports facts about a SIM, each under an id of its own; the verdicts. */
export const report = (
  world: World.World,
  iccid: string,
  ...facts: ReadonlyArray<readonly [occurredAt: number, fact: TelcoReport.Fact]>
) =>
  world.run(
    Reports.Reports.use((of) =>
      of.take({
        reports: facts.map(([occurredAt, fact]) => ({ reportId: `report-${nextReport++}`, iccid, occurredAt, fact }))
      })
    )
  )

export const total = (bytes: number, packageId: string | null = null): TelcoReport.Fact => ({
  _tag: "Usage",
  packageId,
  usage: { _tag: "Total", bytes }
})

export const firstUse: TelcoReport.Fact = { _tag: "FirstUse", packageId: null }

/** What the telco has that is neither suspended nor cancelled. */
export const activePackages = async (world: World.World) =>
  (await world.telcoPackages()).filter(({ status }) => status === "active")
