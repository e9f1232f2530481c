/**
 * API keys: the secret that goes on after a rotation, and when each was last used (rule W3). And
 * the operators of the service: they belong to no organization, and their names and tokens are
 * unique (rule W14).
 */
import { Effect } from "effect"
import type { ApiKey } from "../../domain/ApiKey.ts"
import { DAY, MINUTE } from "../../domain/Time.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"
import type { Operator } from "../../domain/Operator.ts"
import type { CreatedCursor } from "../../ports/Storage.ts"

const storedOperator = (operator: Operator): Operator => ({ ...operator, version: operator.version + 1 })

/** The cases. */
export const operatorCases: ReadonlyArray<World.Scenario> = [
  scenario("an operator is found by its id, its name, and its present and its former token", function* (world) {
    const { now, storage } = world
    const { operators } = storage
    const bound = Rows.operator(world, { organizationId: world.organizationId, role: "read", expiresAt: now + DAY })
    const [plain, other] = [Rows.operator(world, { name: 'Ada "<b>" Æ 👩‍🚀 ' + world.id() }), Rows.operator(world)]
    yield* storage.commit({ operators: [bound, plain, other] })
    for (const operator of [bound, plain]) {
      yield* Suite.equals("by id", yield* operators.get(operator.operatorId), storedOperator(operator))
      yield* Suite.equals("by name", yield* operators.named(operator.name), storedOperator(operator))
      yield* Suite.equals("by token", yield* operators.byHash(operator.hash), storedOperator(operator))
    }
    const { hash, hint } = Rows.apiKey(world)
    const rotated = { ...storedOperator(plain), hash, hint, previousHash: plain.hash, previousUntil: now + DAY }
    yield* storage.commit({ operators: [rotated] })
    yield* Suite.equals("by its token", yield* operators.byHash(hash), storedOperator(rotated))
    yield* Suite.equals("by the one before", yield* operators.byHash(plain.hash), storedOperator(rotated))
    const again = { ...storedOperator(rotated), hash: Rows.apiKey(world).hash, previousHash: hash }
    yield* storage.commit({ operators: [again] })
    yield* Suite.equals("by the one before the one before", yield* operators.byHash(plain.hash), null)
    yield* Suite.equals("an unknown id", yield* operators.get(world.id()), null)
    yield* Suite.equals("an unknown name", yield* operators.named(world.id()), null)
    yield* Suite.equals("a name in another case", yield* operators.named(other.name.toUpperCase()), null)
  }),

  scenario("an operator is guarded by its version, its token and its name", function* (world) {
    const { storage } = world
    const operator = Rows.operator(world)
    yield* storage.commit({ operators: [operator] })
    yield* World.conflicts(world, "made again", { operators: [operator] }, "version")
    const late = { operators: [{ ...operator, version: 2 }] }
    yield* World.conflicts(world, "another version", late, "version")
    yield* World.conflicts(world, "an unknown one", { operators: [Rows.operator(world, { version: 1 })] }, "version")
    const { hash, name } = operator
    yield* World.conflicts(world, "its token", { operators: [Rows.operator(world, { hash })] }, "operator token")
    yield* World.conflicts(world, "its name", { operators: [Rows.operator(world, { name })] }, "operator name")
    const namesake = Rows.operator(world).name
    const twins = [1, 2].map(() => Rows.operator(world, { name: namesake }))
    yield* World.conflicts(world, "one name twice in a commit", { operators: twins }, "operator name")
    yield* Suite.equals("what is stored", yield* storage.operators.named(name), storedOperator(operator))
    yield* Suite.equals("what is not", yield* storage.operators.named(namesake), null)

    const deleted = { ...storedOperator(operator), deletedAt: world.now }
    yield* storage.commit({ operators: [deleted] })
    yield* Suite.equals("nobody has the name", yield* storage.operators.named(name), null)
    yield* Suite.equals("its token", yield* storage.operators.byHash(hash), storedOperator(deleted))
    const heir = Rows.operator(world, { name })
    yield* storage.commit({ operators: [heir] })
    yield* Suite.equals("who has the name", yield* storage.operators.named(name), storedOperator(heir))
    yield* storage.commit({ operators: [storedOperator(deleted)] })
  }),

  scenario("a session is guarded by its version, and forgotten once it is over", function* (world) {
    const { now, storage } = world
    const session = Rows.session(world, { endsAt: now + MINUTE })
    const { sessionId } = session
    yield* Suite.equals("before", yield* storage.sessions.get(sessionId), null)
    yield* storage.commit({ sessions: [session] })
    yield* Suite.equals("begun", yield* storage.sessions.get(sessionId), { ...session, version: 1 })
    yield* World.conflicts(world, "made again", { sessions: [session] }, "version")
    const renewed = { ...session, version: 1, renewals: 1, renewedAt: now, cookie: "c".repeat(4_096), askedAt: now }
    yield* storage.commit({ sessions: [renewed] })
    yield* World.conflicts(world, "renewed twice", { sessions: [renewed] }, "version")
    yield* Suite.equals("renewed", yield* storage.sessions.get(sessionId), { ...renewed, version: 2 })
    const ended = { ...renewed, version: 2, askedAt: null, endedAt: now }
    yield* storage.commit({ sessions: [ended] })
    const purge = (sessionsBefore: number) => storage.purge({ idempotencyBefore: 0, commandsBefore: 0, sessionsBefore })
    yield* purge(session.endsAt)
    yield* Suite.equals("ended", yield* storage.sessions.get(sessionId), { ...ended, version: 3 })
    yield* purge(session.endsAt + 1)
    yield* Suite.equals("forgotten", yield* storage.sessions.get(sessionId), null)
    yield* World.conflicts(world, "ended when forgotten", { sessions: [{ ...ended, version: 3 }] }, "version")
  }),

  scenario("the first key for sessions is that of all", function* (world) {
    const { storage } = world
    const first = yield* storage.sessionKey(world.id())
    const others = yield* Effect.all(
      [1, 2, 3].map(() => storage.sessionKey(world.id())),
      { concurrency: 3 }
    )
    yield* Suite.equals("the key", others, [first, first, first])
  }),

  scenario("operators are listed oldest first, deleted ones too", function* (world) {
    const { now, storage } = world
    const made = [5, 1, 3].map((offset) =>
      Rows.operator(world, { createdAt: now + offset, deletedAt: offset === 3 ? now + 9 : null })
    )
    yield* storage.commit({ operators: made })
    const listed = made.toSorted((left, right) => left.createdAt - right.createdAt).map(storedOperator)
    const found: Array<Operator> = []
    let after: CreatedCursor | null = { createdAt: now, id: "\u{10ffff}" }
    for (let page = 0; page < 3; page++) {
      const [next]: ReadonlyArray<Operator> = yield* storage.operators.page({ after, limit: 1 })
      if (next === undefined) break
      found.push(next)
      after = { createdAt: next.createdAt, id: next.operatorId }
    }
    yield* Suite.equals("one after the other", found, listed)
    const first = { createdAt: now, id: "\u{10ffff}" }
    yield* Suite.equals("at once", yield* storage.operators.page({ after: first, limit: 3 }), listed)
  })
]

const stored = (key: ApiKey): ApiKey => ({ ...key, version: key.version + 1 })

/** What every read of the key gives. */
const reads = ({ storage }: World.World, { apiKeyId, hash, organizationId }: ApiKey) =>
  Effect.gen(function* () {
    const page = yield* storage.apiKeys.page({ organizationId, after: null, limit: 100 })
    return {
      byHash: yield* storage.apiKeys.byHash(hash),
      get: yield* storage.apiKeys.get({ organizationId, apiKeyId }),
      page: page.find((key) => key.apiKeyId === apiKeyId) ?? null
    }
  })

const all = (key: ApiKey) => ({ byHash: key, get: key, page: key })

/** The cases. */
export const cases: ReadonlyArray<World.Scenario> = [
  scenario("a key is found by its secret and by the one before, and not by the one before that", function* (world) {
    const { now, storage } = world
    const { byHash } = storage.apiKeys
    const [first, other] = [Rows.apiKey(world), Rows.apiKey(world)]
    yield* storage.commit({ apiKeys: [first, other] })
    const { hash } = Rows.apiKey(world)
    const second = { ...stored(first), hash, previousHash: first.hash, previousUntil: now + DAY }
    yield* storage.commit({ apiKeys: [second] })
    yield* Suite.equals("the key", yield* reads(world, second), all(stored(second)))
    yield* Suite.equals("by the secret before", yield* byHash(first.hash), stored(second))
    const third = { ...stored(second), hash: Rows.apiKey(world).hash, previousHash: hash }
    yield* storage.commit({ apiKeys: [third] })
    yield* Suite.equals("by its secret", yield* byHash(third.hash), stored(third))
    yield* Suite.equals("by the secret before it", yield* byHash(hash), stored(third))
    yield* Suite.equals("by the first one", yield* byHash(first.hash), null)
    const alone = { ...stored(third), hash: Rows.apiKey(world).hash, previousHash: null, previousUntil: null }
    yield* storage.commit({ apiKeys: [alone] })
    yield* Suite.equals("by one that ended at once", yield* byHash(third.hash), null)
    yield* Suite.equals("by one that ended with it", yield* byHash(hash), null)
    yield* Suite.equals("another key", yield* byHash(other.hash), stored(other))
  }),

  scenario("a key has the latest of its uses, which change nothing else of it", function* (world) {
    const { now, storage } = world
    const neighbour = yield* World.neighbour(world)
    const keys = [Rows.apiKey(world), Rows.apiKey(world), Rows.apiKey(neighbour)] as const
    const [used, unused, theirs] = keys
    const useOf = ({ apiKeyId, organizationId }: ApiKey, at: number) => ({ organizationId, apiKeyId, at })
    yield* storage.commit({ apiKeys: keys })
    yield* storage.recordKeyUses([])
    // In no order, with a key that is not there.
    const unknown = Rows.apiKey(world)
    yield* storage.recordKeyUses([useOf(theirs, now + 2), useOf(unknown, now), useOf(used, now + MINUTE)])
    const once = { ...stored(used), lastUsedAt: now + MINUTE }
    yield* Suite.equals("a key that was used", yield* reads(world, used), all(once))
    yield* Suite.equals("another's", yield* reads(neighbour, theirs), all({ ...stored(theirs), lastUsedAt: now + 2 }))
    yield* Suite.equals("a key that was not", yield* reads(world, unused), all(stored(unused)))
    yield* Suite.equals("an unknown one", yield* storage.apiKeys.get(unknown), null)

    yield* storage.recordKeyUses([useOf(used, now)])
    yield* Suite.equals("an earlier use", yield* storage.apiKeys.get(used), once)
    const named = { ...once, name: "Renamed", lastUsedAt: null }
    yield* storage.commit({ apiKeys: [named] })
    const renamed = { ...stored(named), lastUsedAt: now + MINUTE }
    yield* Suite.equals("a commit leaves it", yield* reads(world, used), all(renamed))
    const many = Array.from({ length: 40 }, (_, index) => [useOf(used, now + DAY + index), useOf(theirs, now + DAY)])
    const both = many.map((uses, index) => (index % 2 === 0 ? uses : uses.toReversed()))
    yield* Effect.forEach(both, storage.recordKeyUses, { concurrency: "unbounded", discard: true })
    const last = { ...renamed, lastUsedAt: now + DAY + 39 }
    yield* Suite.equals("the latest of many at once", yield* storage.apiKeys.get(used), last)
    yield* storage.commit({ apiKeys: [{ ...last, revokedAt: now }] })
  })
]
