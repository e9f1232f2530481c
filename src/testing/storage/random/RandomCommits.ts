/**
 * Random commits: each part of a step becomes a piece of a commit, made from what the storage holds at that moment.
 */
import { Effect, Result } from "effect"
import * as Replacement from "../../../domain/Replacement.ts"
import type { SimAggregate } from "../../../domain/SimAggregate.ts"
import { DAY, HOUR, MINUTE } from "../../../domain/Time.ts"
import * as UsageBook from "../../../domain/UsageBook.ts"
import type { Commit, StorageError } from "../../../ports/Storage.ts"
import * as AggregateEdits from "./AggregateEdits.ts"
import { type AggregatePart, idOf, isAggregatePart, type Part, pick, type Run } from "./RandomSteps.ts"
import * as Rows from "../world/Rows.ts"
import { alone, change, newSim, type World } from "../world/World.ts"

type Piece = Effect.Effect<Commit, StorageError>

/** The organization whose turn it is, at the side's storage. */
export interface Side {
  readonly world: World
  readonly other: World
}

const aggregateOf = ({ other, world }: Side, iccid: string) =>
  Effect.flatMap(world.storage.simAggregates.get({ organizationId: world.organizationId, iccid }), (mine) =>
    mine === null
      ? world.storage.simAggregates.get({ organizationId: other.organizationId, iccid })
      : Effect.succeed(mine)
  )

// The aggregate as a part claims to have seen it.
const seen = (stored: SimAggregate, isStale: boolean): SimAggregate =>
  isStale ? { ...stored, sim: { ...stored.sim, version: stored.sim.version - 1 } } : stored

const ofAggregate = (run: Run, side: Side, name: AggregatePart, part: Part): Piece => {
  const iccid = pick(run.iccids, part.row)
  return Effect.map(aggregateOf(side, iccid), (stored): Commit => {
    const unknown = alone({ ...newSim(side.world, { iccid }), importSequence: 1, version: 1 })
    if (stored === null) return { sims: [change(unknown, {})] }
    return AggregateEdits.commit(side.world, name, part, seen(stored, part.stale))
  })
}

/** The SIM that a move is to, as a row of the pool: another one than it is from. */
const targetOf = ({ choice, row }: Part): number => (row + 1 + (choice % 5)) % 6

// A subscription that moves to another SIM as rule S8 has it.
const move = (run: Run, side: Side, part: Part): Piece => {
  const { choice, row, stale } = part
  const rows = [row, targetOf(part)].map((index) => aggregateOf(side, pick(run.iccids, index)))
  return Effect.map(Effect.all(rows), ([from, to]): Commit => {
    if (from == null || to == null || to.subscription !== null) return {}
    if (to.sim.organizationId !== from.sim.organizationId || to.sim.label !== from.sim.label) return {}
    const old = seen(from, stale && choice % 2 === 0)
    const free = seen(to, stale && choice % 2 === 1)
    const given = {
      pause: { changeId: `pause ${choice}`, isRefused: choice % 3 === 0 },
      changeId: `change ${choice}`,
      notifiedUntil: new Map()
    }
    const moved = Replacement.replace(old, free.sim, given, side.world.now + choice * DAY)
    if (Result.isFailure(moved)) return {}
    const { movedFrom, sim } = moved.success.decision
    return { sims: [movedFrom, sim].filter((one) => one !== undefined) }
  })
}

// What a telco's own book takes from an entry: to another day and country, or for good.
const takeUsage = (run: Run, side: Side, part: Part): Piece =>
  Effect.gen(function* () {
    const { choice, row, stale } = part
    const stored = yield* aggregateOf(side, pick(run.iccids, row))
    if (stored === null) return {}
    const { iccid, label, organizationId } = stored.sim
    const today = UsageBook.dayOf(side.world.now)
    const days = { from: today - 30 * DAY, until: today + 30 * DAY }
    const entries = yield* side.world.storage.usage.entries({ organizationId, iccid, ...days, after: null, limit: 6 })
    const plans = new Map(stored.attachments.map(({ attachment }) => [attachment.attachmentId, attachment.planId]))
    const usage = entries.flatMap((entry, index): ReadonlyArray<UsageBook.Entry> => {
      const { attachmentId, bytes, day } = entry
      const planId = plans.get(attachmentId)
      if (planId === undefined || day === null || index % 2 !== choice % 2) return []
      const from = { ...entry, organizationId, iccid, label, planId }
      const taken = choice % 3 === 0 ? bytes : Math.ceil(bytes / 2)
      const to = {
        day: pick([day - DAY, day, today, day - 20 * DAY], row),
        countryAlpha2: pick([null, "SE", "FR"], row)
      }
      return [{ ...from, bytes: -taken }, ...(choice % 4 === 3 ? [] : [{ ...from, ...to, bytes: taken }])]
    })
    const seenSim = seen(stored, stale)
    return {
      sims: [change(seenSim, {})],
      reports: { usage: UsageBook.merged(usage).filter(({ bytes }) => bytes !== 0) }
    }
  })

// The version that the part claims to have seen.
const seenVersion = (stored: { readonly version: number } | null | undefined, part: Part): number =>
  (stored?.version ?? 0) + (part.stale ? 1 : 0)

const ofPlan = (run: Run, { world }: Side, part: Part): Piece => {
  const planId = idOf(run, world, part.row)
  return Effect.map(world.storage.plans.get({ organizationId: world.organizationId, planId }), (stored): Commit => {
    const terms = Rows.terms(world, {
      name: pick(["Alpha", "alphabet", "10% off", "under_score", "ÉTÉ"], part.choice),
      label: pick(["Green", "Blue"], part.choice),
      coverageId: idOf(run, world, part.choice)
    })
    const plan = Rows.plan(world, {
      planId,
      terms,
      createdAt: stored?.createdAt ?? world.now + (part.choice % 3),
      archivedAt: part.choice % 3 === 1 ? world.now : null,
      deletedAt: part.choice === 11 ? world.now : null,
      version: seenVersion(stored, part)
    })
    return { plans: [plan] }
  })
}

const restingOnPlan = (run: Run, { world }: Side, part: Part): Piece => {
  const loaded = { organizationId: world.organizationId, planId: idOf(run, world, part.row) }
  return Effect.map(
    world.storage.plans.get(loaded),
    (stored): Commit => ({ unchangedPlans: [{ ...loaded, version: seenVersion(stored, part) }] })
  )
}

// An id or a name of one run is in no other.
const ofOperator = (run: Run, { world }: Side, part: Part): Piece => {
  const operatorId = idOf(run, run.worlds[0], part.row % 3)
  return Effect.map(world.storage.operators.get(operatorId), (stored): Commit => {
    const operator = Rows.operator(world, {
      operatorId,
      name: pick(run.hashes, part.choice),
      hash: pick(run.hashes, part.row + part.choice),
      createdAt: stored?.createdAt ?? world.now,
      deletedAt: part.choice % 4 === 3 ? world.now : null,
      version: seenVersion(stored, part)
    })
    return { operators: [operator] }
  })
}

const ofSession = (run: Run, { world }: Side, part: Part): Piece => {
  const sessionId = idOf(run, run.worlds[0], part.row % 3)
  return Effect.map(world.storage.sessions.get(sessionId), (stored): Commit => {
    const session = Rows.session(world, {
      sessionId,
      endsAt: world.now + part.choice * MINUTE,
      endedAt: part.choice % 4 === 3 ? world.now : null,
      renewals: part.choice,
      cookie: part.row % 2 === 0 ? null : `cookie ${part.choice}`,
      version: seenVersion(stored, part)
    })
    return { sessions: [session] }
  })
}

const ofKey = (run: Run, { world }: Side, part: Part): Piece => {
  const apiKeyId = idOf(run, world, part.row)
  return Effect.map(world.storage.apiKeys.get({ organizationId: world.organizationId, apiKeyId }), (stored): Commit => {
    const hash = pick(run.hashes, part.choice)
    const previousHash = part.row % 2 === 0 ? null : `before ${apiKeyId}`
    return { apiKeys: [Rows.apiKey(world, { apiKeyId, hash, previousHash, version: seenVersion(stored, part) })] }
  })
}

const ofEndpoint = (run: Run, { world }: Side, part: Part): Piece => {
  const endpointId = idOf(run, world, part.row % 3)
  return Effect.map(
    world.storage.webhookEndpoints.get({ organizationId: world.organizationId, endpointId }),
    (stored): Commit => {
      const events = pick([null, null, ["esim.smdp.stateChanged" as const], []], part.choice)
      const version = seenVersion(stored, part)
      const disabled = part.choice % 5 === 4 ? ({ reason: "Gone", at: world.now + part.row } as const) : null
      const failingSince = part.row % 2 === 0 ? null : world.now - part.choice
      return { webhookEndpoints: [Rows.endpoint(world, { endpointId, events, disabled, failingSince, version })] }
    }
  )
}

const ofRegion = (run: Run, { world }: Side, part: Part): Piece => {
  // A plan of the pool may be of this region; one that exists is not written again.
  const coverageId = part.choice < 2 ? idOf(run, world, part.row) : world.id()
  const { organizationId } = world
  return Effect.map(world.storage.regions.get({ organizationId, coverageId }), (stored): Commit => {
    if (stored !== null) return {}
    const iso2List = pick(
      [
        ["SE", "NO"],
        ["NO", "SE"],
        ["SE", `R${part.row}`],
        ["FR", `R${part.row}`]
      ],
      part.choice
    )
    return { regions: [Rows.region(world, { coverageId, regionName: `Region ${part.row}`, iso2List })] }
  })
}

const ofStockLevel = ({ world }: Side, part: Part): Piece => {
  const { organizationId } = world
  const label = pick(["Green", "Blue"] as const, part.row)
  return Effect.map(world.storage.sims.levels({ organizationIds: [organizationId] }), (levels): Commit => {
    const stored = levels.find((one) => one.label === label)
    // 0 ends a level.
    const level = { organizationId, label, level: part.choice % 4, isLow: part.choice > 6 }
    return { stockLevels: [{ ...level, version: seenVersion(stored, part) }] }
  })
}

type IdempotencyPart = Extract<Part["part"], `${string} idempotency`>

type JobPart = Extract<Part["part"], `${string} job`>

const ofIdempotency = ({ world }: Side, name: IdempotencyPart, part: Part): Piece => {
  const of = { organizationId: world.organizationId, key: `key ${part.row % 3}` }
  const createdAt = world.now + part.choice * MINUTE
  switch (name) {
    case "put idempotency": {
      const replaces = part.stale ? createdAt + HOUR : world.now
      return Effect.succeed({ idempotency: { put: [{ record: Rows.record(world, { ...of, createdAt }), replaces }] } })
    }
    case "settle idempotency": {
      const answer = { kind: "Done", value: null } as const
      return Effect.succeed({ idempotency: { settled: [{ ...of, outcome: { _tag: "Succeeded", answer } }] } })
    }
    case "forget idempotency":
      return Effect.succeed({ idempotency: { forgotten: [of] } })
  }
}

const ofJob = (run: Run, { world }: Side, name: JobPart, part: Part): Piece => {
  const jobId = `${idOf(run, world, part.row)}:0`
  const token = pick(run.tokens, part.choice)
  const dueAt = world.now + (part.choice - 6) * MINUTE
  switch (name) {
    case "put job": {
      const lease = part.stale ? { token, until: run.machineNow + part.choice * MINUTE } : null
      return Effect.succeed({ jobs: { put: [{ job: Rows.job(world, { jobId, dueAt }), lease }] } })
    }
    case "finish job":
      return Effect.succeed({ jobs: { finished: [{ jobId, token }] } })
    case "retry job":
      return Effect.succeed({
        jobs: {
          retried: [
            {
              jobId,
              token,
              dueAt,
              attempts: part.choice,
              endedAt: part.choice % 3 === 0 ? world.now : null,
              waiting: part.stale ? null : Rows.waiting(world.now - part.choice * MINUTE)
            }
          ]
        }
      })
    case "hasten job":
      return Effect.succeed({ jobs: { hastened: [{ jobId, dueAt }] } })
    case "reopen job":
      return Effect.succeed({ jobs: { reopened: [{ jobId, endedAt: world.now, dueAt, attempts: part.choice }] } })
    case "resolve job":
      return Effect.succeed({ jobs: { resolved: [{ jobId, endedAt: world.now }] } })
    case "cancel job":
      return Effect.succeed({ jobs: { cancelled: [jobId] } })
  }
}

const ofDelivery = (run: Run, { world }: Side, part: Part): Piece =>
  Effect.map(
    world.storage.deliveries.page({ organizationId: world.organizationId, after: null, limit: 6 }),
    ({ items }): Commit => {
      if (items.length === 0) return {}
      const { delivery } = pick(items, part.row)
      const next =
        part.choice % 2 === 0
          ? ({ status: "Delivered", nextAttemptAt: null } as const)
          : ({ status: "Pending", nextAttemptAt: world.now + part.choice * MINUTE } as const)
      const changed = { ...delivery, ...next, attempts: delivery.attempts + 1 }
      const attempt = { number: changed.attempts, at: world.now + part.row, durationMillis: null, responseStatus: null }
      const made = part.stale ? {} : { attempt: { ...attempt, error: null, responseBody: `answer ${part.choice}` } }
      return part.part === "replay delivery"
        ? { deliveries: { replayed: [changed] } }
        : { deliveries: { settled: [{ delivery: changed, token: pick(run.tokens, part.choice), ...made }] } }
    }
  )

/** The piece of a commit that a part makes. */
export const piece = (run: Run, side: Side, part: Part): Piece => {
  const { world } = side
  const { part: name } = part
  if (isAggregatePart(name)) return ofAggregate(run, side, name, part)
  switch (name) {
    case "move":
      return move(run, side, part)
    case "take usage":
      return takeUsage(run, side, part)
    case "plan":
      return ofPlan(run, side, part)
    case "rest on plan":
      return restingOnPlan(run, side, part)
    case "session":
      return ofSession(run, side, part)
    case "operator":
      return ofOperator(run, side, part)
    case "api key":
      return ofKey(run, side, part)
    case "endpoint":
      return ofEndpoint(run, side, part)
    case "region":
      return ofRegion(run, side, part)
    case "stock level":
      return ofStockLevel(side, part)
    case "put idempotency":
    case "settle idempotency":
    case "forget idempotency":
      return ofIdempotency(side, name, part)
    case "event": {
      const event = Rows.event(world, { createdAt: world.now + (part.choice - 6) * MINUTE })
      return Effect.succeed({ events: [event] })
    }
    case "put job":
    case "finish job":
    case "retry job":
    case "hasten job":
    case "reopen job":
    case "resolve job":
    case "cancel job":
      return ofJob(run, side, name, part)
    case "settle delivery":
    case "replay delivery":
      return ofDelivery(run, side, part)
    case "catalogue": {
      const country = { iso2: "SE", iso3: "SWE", name: `Sweden ${part.choice}` }
      return Effect.succeed({ catalogue: { countries: [country], operators: [], profiles: [] } })
    }
    case "clock":
      return Effect.succeed({ clock: world.now + part.choice * DAY })
  }
}

// Parts that have one in common write the same row, of which a commit has one at most.
const rowsOf = (part: Part): ReadonlyArray<string> => {
  const { part: name, row } = part
  if (isAggregatePart(name)) return [`aggregate ${row}`]
  switch (name) {
    case "move":
      return [`aggregate ${row}`, `aggregate ${targetOf(part)}`]
    case "take usage":
      return [`aggregate ${row}`]
    case "plan":
    case "rest on plan":
      return [`plan ${row}`]
    case "region":
      return [`region ${row}`]
    case "stock level":
      return [`${name} ${row % 2}`]
    case "endpoint":
    case "session":
      return [`${name} ${row % 3}`]
    case "put idempotency":
    case "settle idempotency":
    case "forget idempotency":
      return [`idempotency ${row % 3}`]
    case "put job":
    case "finish job":
    case "retry job":
    case "hasten job":
    case "reopen job":
    case "resolve job":
    case "cancel job":
      return [`job ${row}`]
    case "settle delivery":
    case "replay delivery":
      return ["delivery"]
    // Two keys that swap their hashes are not what a use case does, nor two operators that swap their names.
    case "operator":
    case "api key":
    case "event":
    case "catalogue":
    case "clock":
      return [name]
  }
}

/** The parts that can be in one commit: one per row, and no events beside endpoints. */
export const compatible = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> => {
  const written = new Set<string>()
  const chosen = parts.filter((part) => {
    const rows = rowsOf(part)
    const isFree = rows.every((row) => !written.has(row))
    if (isFree) for (const row of rows) written.add(row)
    return isFree
  })
  const endpoints = chosen.some(({ part }) => part === "endpoint")
  const reports = new Set<number>()
  return chosen.filter(({ choice, part }) => {
    if (part === "event") return !endpoints
    if (part !== "report") return true
    const isNew = !reports.has(choice % 4)
    reports.add(choice % 4)
    return isNew
  })
}
