/**
 * Batching: under load one statement answers the reads of several callers, and one writes their
 * commits.
 *
 * Questions of one turn of the event loop form a group, and so do questions that come while as many
 * groups as allowed are under way. No question waits for others to come. No two questions of a
 * group share a key. Questions of one owner that share a key are sent in the order in which they
 * came, and owners take turns: however many questions one has waiting, and however many of them go
 * alone, those of another wait for few (rule W13). If the statement of a group of reads fails, each
 * question is asked by itself, so one that cannot be answered fails no other (rule W9).
 *
 * The union of commits that touch nothing in common writes what each of them writes, guards what
 * each of them guards, and happens as a whole or not at all: if it meets a conflict, each commit
 * is written by itself.
 */
import { type Context, Effect, Exit } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Storage } from "simplan/ports"
import type { Database, Row, Sql } from "./Database.ts"

export interface Options<Asked, Answer, E> {
  /** How many groups may be under way at once. */
  readonly parallel: number
  /** The size of the largest group. */
  readonly limit: number
  /** How many groups may be under way while the next question fills a group by itself. */
  readonly parallelFull?: number
  readonly size?: (asked: Asked) => number
  /** Whose turn a question takes. Absent: all are of one owner. */
  readonly owner?: (asked: Asked) => string
  /** Null: the question goes alone. Absent: no question has a key. */
  readonly keys?: (asked: Asked) => ReadonlyArray<string> | null
  /** Where groups run: no caller's context. */
  readonly context: Context.Context<never>
  /** The outcome of each question, in the order of the group. */
  readonly run: (group: ReadonlyArray<Asked>) => Effect.Effect<ReadonlyArray<Exit.Exit<Answer, E>>>
}

interface Waiting<Asked, Answer, E> {
  readonly asked: Asked
  readonly owner: string
  readonly size: number
  /** Absent until they are needed. */
  keys?: ReadonlyArray<string> | null
  readonly resume: (effect: Effect.Effect<Answer, E>) => void
}

/** The outcome of each question if one statement answers all of them, or fails for all. */
const exitsOf = <Answer, E>(
  asked: ReadonlyArray<unknown>,
  answers: Effect.Effect<ReadonlyArray<Answer>, E>
): Effect.Effect<ReadonlyArray<Exit.Exit<Answer, E>>> =>
  Effect.match(answers, {
    onSuccess: (all) => all.map(Exit.succeed),
    onFailure: (error) => asked.map(() => Exit.fail(error))
  })

const unanswered = Exit.die(new Error("a group has fewer answers than members"))

/**
 * Asks one question. A caller that is interrupted before its group was sent withdraws the question.
 */
export type Ask<Asked, Answer, E> = (asked: Asked) => Effect.Effect<Answer, E>

export const batch = <Asked, Answer, E>(options: Options<Asked, Answer, E>): Ask<Asked, Answer, E> => {
  const { context, keys = () => [], limit, owner = () => "", parallel, parallelFull = parallel, run } = options
  const { size = () => 1 } = options
  type One = Waiting<Asked, Answer, E>
  const fork = Effect.runForkWith(context)
  /** What waits, by owner, in the order of their turns. */
  const waiting = new Map<string, Array<One>>()
  let underWay = 0
  let isComing = false

  const keysOf = (one: One): ReadonlyArray<string> | null => {
    if (one.keys === undefined) one.keys = keys(one.asked)
    return one.keys
  }

  const firstOf = (): One | undefined => {
    for (const [first] of waiting.values()) return first
    return undefined
  }

  /** Of each owner the first, then of each the second, and so on. */
  function* inTurns(): Generator<One> {
    let queues = [...waiting.values()]
    for (let at = 0; queues.length > 0; at++) {
      queues = queues.filter(({ length }) => length > at)
      for (const queue of queues) {
        const queued = queue[at]
        if (queued !== undefined) yield queued
      }
    }
  }

  const remove = (owner: string, gone: (one: One) => boolean): void => {
    const left = waiting.get(owner)?.filter((one) => !gone(one)) ?? []
    waiting.delete(owner)
    if (left.length > 0) waiting.set(owner, left)
  }

  /**
   * From the front, without the questions that share a key with one before them, and those of an
   * owner behind one that goes alone.
   */
  const next = (): ReadonlyArray<One> => {
    const first = firstOf()
    if (first === undefined) return []
    // A question that goes alone needs no keys, and a large one has many.
    if ((waiting.size === 1 && waiting.get(first.owner)?.length === 1) || first.size >= limit) return [first]
    if (keysOf(first) === null) return [first]
    const group: Array<One> = []
    const taken = new Set<string>()
    const held = new Set<string>()
    let total = 0
    for (const one of inTurns()) {
      if (total + one.size > limit) break
      const found = held.has(one.owner) ? null : keysOf(one)
      if (found === null) {
        held.add(one.owner)
        continue
      }
      const isApart = found.every((key) => !taken.has(key))
      if (isApart) total += one.size
      for (const key of found) taken.add(key)
      if (isApart) group.push(one)
    }
    return group
  }

  /** What goes next, which waits no more. Its owners have had their turns. */
  const take = (): ReadonlyArray<One> => {
    const group = next()
    const taken = new Set(group)
    for (const owner of new Set(group.map((one) => one.owner))) remove(owner, (one) => taken.has(one))
    return group
  }

  const serve = (group: ReadonlyArray<One>): Effect.Effect<void> =>
    Effect.map(Effect.exit(run(group.map(({ asked }) => asked))), (exit) => {
      underWay--
      comeBack()
      for (const [index, { resume }] of group.entries()) {
        resume(exit._tag === "Failure" ? Exit.failCause(exit.cause) : (exit.value[index] ?? unanswered))
      }
    })

  const mayGo = (): boolean => {
    const first = firstOf()
    return first !== undefined && underWay < (first.size >= limit ? parallelFull : parallel)
  }

  const send = (): void => {
    isComing = false
    while (mayGo()) {
      const group = take()
      underWay++
      fork(serve(group))
    }
  }

  // After this turn: one cause commonly leads to several questions.
  const comeBack = (): void => {
    if (isComing || !mayGo()) return
    isComing = true
    fork(Effect.andThen(Effect.yieldNow, Effect.sync(send)))
  }

  return (asked) =>
    Effect.callback((resume) => {
      const entry: One = { asked, owner: owner(asked), size: size(asked), resume }
      const queue = waiting.get(entry.owner)
      if (queue === undefined) waiting.set(entry.owner, [entry])
      else queue.push(entry)
      comeBack()
      return Effect.sync(() => {
        const left = waiting.get(entry.owner)?.filter((other) => other !== entry) ?? []
        if (left.length > 0) waiting.set(entry.owner, left)
        else waiting.delete(entry.owner)
      })
    })
}

/** What was found for the question with this number. */
export interface Found<A> {
  readonly at: number
  readonly found: A
}

/** A question with its number, which the statement returns with the answer. */
export type Placed<Asked> = Asked & { readonly at: number }

/** What is looked up by its SIM. */
export interface OfSim {
  readonly organizationId: string
  readonly iccid: string
}

type Statement<Asked, A> = (
  sql: Sql,
  asked: ReadonlyArray<Placed<Asked>>
) => Effect.Effect<ReadonlyArray<Row<Found<A>>>, SqlError>

const PARALLEL_READS = 1
const READ_LIMIT = 100

/** How many questions of a failed group are asked at once. */
const APART = 4

/**
 * A read that returns null if nothing has that key. `same` names a question: callers with questions
 * of the same name share one answer.
 */
export const reads = <Asked extends object, A>(
  database: Database,
  statement: Statement<Asked, A>,
  same?: (asked: Asked) => string
): ((of: Asked) => Effect.Effect<A | null, Storage.StorageError>) => {
  const answers = (questions: ReadonlyArray<Placed<Asked>>, rows: Database["rows"]) =>
    Effect.map(
      rows((sql) => statement(sql, questions)),
      (found): ReadonlyArray<A | null> => {
        const answered = new Map(found.map(({ at, found }) => [at, found]))
        return questions.map(({ at }) => answered.get(at) ?? null)
      }
    )
  const answer = (question: Placed<Asked>, rows: Database["rows"]) =>
    Effect.map(answers([question], rows), ([found]) => found ?? null)

  const together = (asked: ReadonlyArray<Asked>) => {
    const places = new Map<string, number>()
    const questions: Array<Placed<Asked>> = []
    const placeOf = (one: Asked): number => {
      const name = same?.(one)
      const known = name === undefined ? undefined : places.get(name)
      if (known !== undefined) return known
      const at = questions.length
      questions.push({ ...one, at })
      if (name !== undefined) places.set(name, at)
      return at
    }
    const placed = asked.map(placeOf)
    const apart = Effect.forEach(questions, (one) => Effect.exit(answer(one, database.rowsAlone)), {
      concurrency: APART
    })
    const exits = Effect.flatMap(exitsOf(questions, answers(questions, database.rows)), (all) =>
      questions.length > 1 && all.some(Exit.isFailure) ? apart : Effect.succeed(all)
    )
    return Effect.map(exits, (all) => placed.map((at) => all[at] ?? Exit.succeed(null)))
  }
  const readOne = (of: Asked) => answer({ ...of, at: 0 }, database.rows)
  if (!database.fastPaths.batchedReads) return readOne
  const grouped = batch<Asked, A | null, Storage.StorageError>({
    parallel: PARALLEL_READS,
    limit: READ_LIMIT,
    context: database.context,
    run: together
  })
  return (of) => Effect.flatMap(database.inTransaction, (joined) => (joined ? readOne(of) : grouped(of)))
}

type Commit = Storage.Commit

// Rare, and with a say in what else a commit may have, or in more than the rows they name.
const alone = [
  "organizations",
  "operators",
  "sessions",
  "apiKeys",
  "webhookEndpoints",
  "eventHandlers",
  "plans",
  "regions",
  "stockLevels",
  "catalogue",
  "clock"
] as const satisfies ReadonlyArray<keyof Commit>

type PutJobs = NonNullable<NonNullable<Commit["jobs"]>["put"]>

/**
 * Whether commits leave the job for one another (rule I12): of those that go as one it is put once.
 */
const isShared = ({ work }: PutJobs[number]["job"]): boolean => work._tag === "CheckStock"

const putJobs = (commits: ReadonlyArray<Commit>): PutJobs => {
  const all = joined(commits, (commit) => commit.jobs?.put)
  if (!all.some(({ job }) => isShared(job))) return all
  return [...new Map(all.map((one) => [one.job.jobId, one])).values()]
}

/**
 * The keys of the rows that the commit writes: two commits with a key in common cannot go as one.
 * Null: it goes alone.
 */
export const commitKeys = (commit: Commit): ReadonlyArray<string> | null => {
  if (alone.some((part) => commit[part] !== undefined)) return null
  const found: Array<string> = []
  for (const { next } of commit.sims ?? []) found.push(`sim ${next.sim.iccid}`)
  const { commands, deliveries, idempotency, jobs, ledger } = commit
  for (const { commandId, organizationId } of [...(commands?.put ?? []), ...(commands?.settled ?? [])]) {
    found.push(`command ${organizationId} ${commandId}`)
  }
  for (const { record } of idempotency?.put ?? []) found.push(`key ${record.organizationId} ${record.key}`)
  for (const { key, organizationId } of idempotency?.settled ?? []) found.push(`key ${organizationId} ${key}`)
  for (const { key, organizationId } of idempotency?.forgotten ?? []) found.push(`key ${organizationId} ${key}`)
  for (const { costId, organizationId } of [...(ledger?.put ?? []), ...(ledger?.allotted ?? [])]) {
    found.push(`cost ${organizationId} ${costId}`)
  }
  for (const { job } of jobs?.put ?? []) if (!isShared(job)) found.push(`job ${job.jobId}`)
  for (const { jobId } of jobs?.finished ?? []) found.push(`job ${jobId}`)
  for (const { jobId } of jobs?.retried ?? []) found.push(`job ${jobId}`)
  for (const { jobId } of jobs?.hastened ?? []) found.push(`job ${jobId}`)
  for (const { jobId } of jobs?.reopened ?? []) found.push(`job ${jobId}`)
  for (const { jobId } of jobs?.resolved ?? []) found.push(`job ${jobId}`)
  for (const { jobId } of jobs?.cancelled ?? []) found.push(`job ${jobId}`)
  for (const { delivery } of deliveries?.settled ?? []) {
    found.push(`delivery ${delivery.organizationId} ${delivery.deliveryId}`)
  }
  for (const { deliveryId, organizationId } of deliveries?.replayed ?? []) {
    found.push(`delivery ${organizationId} ${deliveryId}`)
  }
  return found
}

/**
 * Whose turn the commit takes: the organization of the first that it writes; of what names none
 * they share one.
 */
const commitOwner = ({
  commands,
  deliveries,
  events,
  idempotency,
  jobs,
  ledger,
  reports,
  sims,
  ...others
}: Commit): string =>
  sims?.[0]?.next.sim.organizationId ??
  others.auditEntries?.[0]?.organizationId ??
  others.stockLevels?.[0]?.organizationId ??
  events?.[0]?.organizationId ??
  reports?.seen?.[0]?.organizationId ??
  idempotency?.put?.[0]?.record.organizationId ??
  (idempotency?.settled ?? idempotency?.forgotten)?.[0]?.organizationId ??
  (commands?.put ?? commands?.settled)?.[0]?.organizationId ??
  (ledger?.put ?? ledger?.allotted)?.[0]?.organizationId ??
  jobs?.put?.[0]?.job.organizationId ??
  deliveries?.settled?.[0]?.delivery.organizationId ??
  ""

/** How many rows the commit writes, roughly: a SIM and one that hangs on it for each change. */
const commitSize = ({ events = [], reports = {}, sims = [] }: Commit): number =>
  1 + 2 * sims.length + events.length + (reports.smdpEntries ?? []).length

const none: ReadonlyArray<never> = []

const joined = <A>(
  commits: ReadonlyArray<Commit>,
  rows: (commit: Commit) => ReadonlyArray<A> | undefined
): ReadonlyArray<A> => {
  const all: Array<A> = []
  for (const commit of commits) for (const row of rows(commit) ?? none) all.push(row)
  return all
}

/**
 * A plan that several commits rely on is named once for each version: two versions cannot both be
 * stored.
 */
const unchangedPlans = (commits: ReadonlyArray<Commit>): ReadonlyArray<Storage.PlanVersion> => {
  const found = new Map<string, Storage.PlanVersion>()
  for (const plan of joined(commits, (commit) => commit.unchangedPlans)) {
    found.set(`${plan.organizationId} ${plan.planId} ${plan.version}`, plan)
  }
  return [...found.values()]
}

/** The commits as one. Their keys have nothing in common. */
export const merged = (commits: ReadonlyArray<Commit>): Commit => ({
  sims: joined(commits, (commit) => commit.sims),
  unchangedPlans: unchangedPlans(commits),
  reports: {
    smdpEntries: joined(commits, (commit) => commit.reports?.smdpEntries),
    seen: joined(commits, (commit) => commit.reports?.seen),
    usage: joined(commits, (commit) => commit.reports?.usage)
  },
  ledger: {
    put: joined(commits, (commit) => commit.ledger?.put),
    allotted: joined(commits, (commit) => commit.ledger?.allotted)
  },
  idempotency: {
    put: joined(commits, (commit) => commit.idempotency?.put),
    settled: joined(commits, (commit) => commit.idempotency?.settled),
    forgotten: joined(commits, (commit) => commit.idempotency?.forgotten)
  },
  commands: {
    put: joined(commits, (commit) => commit.commands?.put),
    settled: joined(commits, (commit) => commit.commands?.settled)
  },
  events: joined(commits, (commit) => commit.events),
  jobs: {
    put: putJobs(commits),
    finished: joined(commits, (commit) => commit.jobs?.finished),
    retried: joined(commits, (commit) => commit.jobs?.retried),
    hastened: joined(commits, (commit) => commit.jobs?.hastened),
    reopened: joined(commits, (commit) => commit.jobs?.reopened),
    resolved: joined(commits, (commit) => commit.jobs?.resolved),
    cancelled: joined(commits, (commit) => commit.jobs?.cancelled)
  },
  deliveries: {
    settled: joined(commits, (commit) => commit.deliveries?.settled),
    replayed: joined(commits, (commit) => commit.deliveries?.replayed)
  },
  auditEntries: joined(commits, (commit) => commit.auditEntries)
})

export type Write = (commit: Storage.Commit) => Effect.Effect<void, Storage.Conflict | Storage.StorageError>

// Two statements at once made smaller groups, which cost more and waited longer.
const PARALLEL_COMMITS = 1

/**
 * How many statements may be under way while a full group waits: one is prepared while another is
 * written.
 */
const PARALLEL_FULL_COMMITS = 2

/** How many rows a group of commits names at most. */
const COMMIT_LIMIT = 500

type Written = Effect.Effect<ReadonlyArray<Exit.Exit<void, Storage.Conflict | Storage.StorageError>>>

/** A statement for the commits of each organization, whose rows are on one server. */
const byOwner = (group: ReadonlyArray<Commit>, run: (group: ReadonlyArray<Commit>) => Written): Written => {
  const owners = [...new Set(group.map(commitOwner))]
  const ofOwner = (owner: string) => {
    const own = group.filter((commit) => commitOwner(commit) === owner)
    return Effect.map(run(own), (exits) => own.map((commit, at) => [commit, exits[at] ?? unanswered] as const))
  }
  return Effect.map(Effect.forEach(owners, ofOwner, { concurrency: "unbounded" }), (found) => {
    const exits = new Map(found.flat())
    return group.map((commit) => exits.get(commit) ?? unanswered)
  })
}

export const commits = (database: Database, write: Write): Write => {
  const together = (group: ReadonlyArray<Commit>): Written => {
    const each = Effect.forEach(group, (commit) => Effect.exit(write(commit)))
    if (group.length === 1) return each
    return Effect.matchEffect(write(merged(group)), {
      onSuccess: () => Effect.succeed(group.map(() => Exit.void)),
      onFailure: (error) => (error._tag === "Conflict" ? each : Effect.succeed(group.map(() => Exit.fail(error))))
    })
  }
  const batched = batch<Storage.Commit, void, Storage.Conflict | Storage.StorageError>({
    parallel: PARALLEL_COMMITS,
    parallelFull: PARALLEL_FULL_COMMITS,
    limit: COMMIT_LIMIT,
    context: database.context,
    owner: commitOwner,
    keys: commitKeys,
    size: commitSize,
    run: (group) => (database.isDistributed ? byOwner(group, together) : together(group))
  })
  // A commit in the caller's transaction belongs to that transaction alone.
  return (commit) =>
    Effect.flatMap(database.inTransaction, (isInTransaction) => (isInTransaction ? write(commit) : batched(commit)))
}
