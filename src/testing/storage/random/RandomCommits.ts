/**
 * Random commits: each part of a step becomes a piece of a commit, made from what the storage holds
 * at that moment.
 */
import { Effect, Record, Result, Struct } from "effect"
import * as fc from "fast-check"
import * as Cost from "../../../domain/Cost.ts"
import * as Replacement from "../../../domain/Replacement.ts"
import type { SimAggregate } from "../../../domain/SimAggregate.ts"
import { DAY, HOUR, type Instant, MINUTE } from "../../../domain/Time.ts"
import * as UsageBook from "../../../domain/UsageBook.ts"
import type { Commit, StorageError } from "../../../ports/Storage.ts"
import * as AggregateEdits from "./AggregateEdits.ts"
import { idOf, LOADS, type Part, pick, type Run } from "./RandomSteps.ts"
import * as Rows from "../world/Rows.ts"
import { alone, change, newSim, of, type World } from "../world/World.ts"

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

const ofAggregate = (run: Run, side: Side, edit: AggregateEdits.Edit, part: Part): Piece => {
  const iccid = pick(run.iccids, part.row)
  return Effect.map(aggregateOf(side, iccid), (stored): Commit => {
    const unknown = alone({ ...newSim(side.world, { iccid }), importSequence: 1, version: 1 })
    if (stored === null) return { sims: [change(unknown, {})] }
    return AggregateEdits.commit(side.world, edit, part, seen(stored, part.stale))
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

/** A row of the ledger of costs, of a month or the one before or after. */
const costOf = (run: Run, world: World, { choice, row }: Part): Cost.Entry =>
  Rows.cost(world, {
    costId: idOf(run, world, row),
    kind: pick(Cost.kinds, choice),
    at: world.now + ((choice % 3) - 1) * 20 * DAY,
    telco: pick([null, "airalo"], row),
    load: pick([null, ...LOADS], choice),
    label: pick(["Green", "Blue"], row),
    regionCode: pick([null, "FR"], choice),
    amount: choice % 5 === 0 ? null : { units: (choice - 3) * 7, scale: row, currency: pick(["USD", "EUR"], choice) }
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
      metadata: stored?.metadata ?? (part.choice % 3 === 0 ? "" : `plan ${part.choice}`),
      price: part.choice % 3 === 2 ? { units: part.choice, scale: 2, currency: "EUR" } : null,
      bundle: part.choice % 4 === 2 ? { load: "1 GB", topUpLoad: null, limit: null } : null,
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

const ofStockLevel = (_: Run, { world }: Side, part: Part): Piece => {
  const { organizationId } = world
  const label = pick(["Green", "Blue"] as const, part.row)
  return Effect.map(world.storage.sims.levels({ organizationIds: [organizationId] }), (levels): Commit => {
    const stored = levels.find((one) => one.label === label)
    // 0 ends a level.
    const level = { organizationId, label, level: part.choice % 4, isLow: part.choice > 6 }
    return { stockLevels: [{ ...level, version: seenVersion(stored, part) }] }
  })
}

const ofDelivery =
  (isReplayed: boolean): Kind["piece"] =>
  (run, { world }, { choice, row, stale }) =>
    Effect.map(
      world.storage.deliveries.page({ organizationId: world.organizationId, after: null, limit: 6 }),
      ({ items }): Commit => {
        if (items.length === 0) return {}
        const { delivery } = pick(items, row)
        const attempts = delivery.attempts + 1
        const pending = { status: "Pending", attempts, nextAttemptAt: world.now + choice * MINUTE } as const
        if (isReplayed) return { deliveries: { replayed: [{ ...delivery, ...pending }] } }
        const token = pick(run.tokens, choice)
        if (stale) return { deliveries: { settled: [{ delivery: { ...delivery, ...pending }, token }] } }
        // A delivery that was made has an attempt that succeeded, and was last attempted then.
        const isMade = choice % 2 === 0
        const at = world.now + row
        const next = isMade ? ({ status: "Delivered", attempts, nextAttemptAt: null } as const) : pending
        const error = isMade ? null : "no answer"
        const attempt = { number: attempts, at, durationMillis: null, responseStatus: null, error }
        const logged = { ...attempt, responseBody: `answer ${choice}` }
        return {
          deliveries: { settled: [{ delivery: { ...delivery, ...next, lastAttemptAt: at }, token, attempt: logged }] }
        }
      }
    )

/** A kind of part. */
interface Kind {
  /** The rows that it writes: parts that have one in common are not in one commit. */
  readonly rows: (part: Part) => ReadonlyArray<string>
  /** The piece of a commit that it makes. */
  readonly piece: (run: Run, side: Side, part: Part) => Piece
  /** How often it is drawn; once if absent. What must meet others to matter comes more often. */
  readonly often?: number
}

/** Of a row that a number picks among so many. */
const among = (name: string, rows: number, piece: Kind["piece"], often = 1): Kind => ({
  rows: ({ row }) => [`${name} ${row % rows}`],
  piece,
  often
})

/** Of what is written once in a commit at most. */
const single = (name: string, piece: Kind["piece"], often = 1): Kind => ({ rows: () => [name], piece, often })

type Numbers = Part & { readonly world: World; readonly run: Run }

const ofIdempotency = (
  make: (of: { readonly organizationId: string; readonly key: string }, numbers: Numbers) => Commit["idempotency"] & {}
): Kind =>
  among("idempotency", 3, (run, { world }, part) =>
    Effect.succeed({
      idempotency: make({ organizationId: world.organizationId, key: `key ${part.row % 3}` }, { ...part, run, world })
    })
  )

interface OfJob extends Numbers {
  readonly jobId: string
  readonly token: string
  readonly dueAt: Instant
}

const ofJob = (make: (of: OfJob) => Commit["jobs"] & {}, often = 1): Kind =>
  among(
    "job",
    6,
    (run, { world }, part) => {
      const jobId = `${idOf(run, world, part.row)}:0`
      const dueAt = world.now + (part.choice - 6) * MINUTE
      return Effect.succeed({
        jobs: make({ ...part, run, world, jobId, token: pick(run.tokens, part.choice), dueAt })
      })
    },
    often
  )

const edits = Record.map(
  AggregateEdits.edits,
  (edit): Kind => among("aggregate", 6, (run, side, part) => ofAggregate(run, side, edit, part))
)

const kinds = {
  ...edits,
  attach: { ...edits.attach, often: 2 },
  pack: { ...edits.pack, often: 2 },
  use: { ...edits.use, often: 2 },
  move: {
    rows: (part: Part) => [`aggregate ${part.row}`, `aggregate ${targetOf(part)}`],
    piece: move,
    often: 4
  },
  "take usage": among("aggregate", 6, takeUsage, 2),
  cost: among("cost", 6, (run, { world }, part) => Effect.succeed({ ledger: { put: [costOf(run, world, part)] } }), 2),
  "allot cost": among("cost", 6, (run, { world }, part) => {
    const { costId, organizationId } = costOf(run, world, part)
    const planId = pick([null, "p-1", "p-2"], part.choice)
    const allotted = { organizationId, costId, planId, attachmentId: planId, occurrence: part.choice }
    return Effect.succeed({ ledger: { allotted: [{ ...allotted, regionCode: pick([null, "SE"], part.choice) }] } })
  }),
  plan: among("plan", 6, ofPlan),
  "rest on plan": among("plan", 6, restingOnPlan),
  // Two keys that swap their hashes are not what a use case does, nor two operators that swap their
  // names.
  operator: single("operator", ofOperator),
  session: among("session", 3, ofSession),
  "api key": single("api key", ofKey),
  endpoint: among("endpoint", 3, ofEndpoint),
  region: among("region", 6, ofRegion, 3),
  "stock level": among("stock level", 2, ofStockLevel),
  "put idempotency": ofIdempotency((of, { choice, stale, world }) => {
    const createdAt = world.now + choice * MINUTE
    return {
      put: [{ record: Rows.record(world, { ...of, createdAt }), replaces: stale ? createdAt + HOUR : world.now }]
    }
  }),
  "settle idempotency": ofIdempotency((of) => ({
    settled: [{ ...of, outcome: { _tag: "Succeeded", answer: { kind: "Done", value: null } } }]
  })),
  "forget idempotency": ofIdempotency((of) => ({ forgotten: [of] })),
  event: single(
    "event",
    (_run, { world }, { choice }) =>
      Effect.succeed({ events: [Rows.event(world, { createdAt: world.now + (choice - 6) * MINUTE })] }),
    3
  ),
  "put job": ofJob(({ choice, dueAt, jobId, run, stale, token, world }) => {
    const lease = stale ? { token, until: run.machineNow + choice * MINUTE } : null
    const bought = {
      _tag: "BuySim",
      purchaseId: jobId,
      label: "Green",
      load: pick(LOADS, choice),
      limit: null
    } as const
    return { put: [{ job: Rows.job(world, { jobId, dueAt, ...(choice % 3 === 0 && { work: bought }) }), lease }] }
  }, 3),
  "finish job": ofJob(({ jobId, token, world }) => ({ finished: [{ ...of(world), jobId, token }] }), 2),
  "retry job": ofJob(({ choice, dueAt, jobId, stale, token, world }) => {
    const { now } = world
    const waiting = stale ? null : Rows.waiting(now - choice * MINUTE)
    return {
      retried: [
        { ...of(world), jobId, token, dueAt, attempts: choice, endedAt: choice % 3 === 0 ? now : null, waiting }
      ]
    }
  }),
  "hasten job": ofJob(({ dueAt, jobId, world }) => ({ hastened: [{ ...of(world), jobId, dueAt }] })),
  "reopen job": ofJob(({ choice, dueAt, jobId, world }) => ({
    reopened: [{ ...of(world), jobId, endedAt: world.now, dueAt, attempts: choice }]
  })),
  "resolve job": ofJob(({ jobId, world }) => ({ resolved: [{ ...of(world), jobId, endedAt: world.now }] })),
  "cancel job": ofJob(({ jobId, world }) => ({ cancelled: [{ ...of(world), jobId }] })),
  "settle delivery": single("delivery", ofDelivery(false), 2),
  "replay delivery": single("delivery", ofDelivery(true)),
  catalogue: single("catalogue", (_run, _side, { choice }) => {
    const country = { iso2: "SE", iso3: "SWE", name: `Sweden ${choice}` }
    return Effect.succeed({ catalogue: { countries: [country], operators: [], profiles: [] } })
  }),
  clock: single("clock", (_run, { world }, { choice }) => Effect.succeed({ clock: world.now + choice * DAY }))
} satisfies Readonly<Record<string, Kind>>

/** A part with the name of its kind. */
export interface NamedPart extends Part {
  readonly part: keyof typeof kinds
}

const names = Struct.keys(kinds)

/** A part of a random commit. */
export const part: fc.Arbitrary<NamedPart> = fc.record({
  part: fc.constantFrom(...names.flatMap((name) => Array.from({ length: kinds[name].often ?? 1 }, () => name))),
  row: fc.nat({ max: 5 }),
  choice: fc.nat({ max: 11 }),
  stale: fc.nat({ max: 9 }).map((number) => number === 9)
})

/** The piece of a commit that a part makes. */
export const piece = (run: Run, side: Side, part: NamedPart): Piece => kinds[part.part].piece(run, side, part)

/** The parts that can be in one commit: one per row, and no events beside endpoints. */
export const compatible = (parts: ReadonlyArray<NamedPart>): ReadonlyArray<NamedPart> => {
  const written = new Set<string>()
  const chosen = parts.filter((part) => {
    const rows = kinds[part.part].rows(part)
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
