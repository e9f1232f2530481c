/**
 * API keys: the secret that goes on after a rotation, and when each was last used (rule W3).
 */
import { Effect } from "effect"
import type { ApiKey } from "../../domain/ApiKey.ts"
import { DAY, MINUTE } from "../../domain/Time.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

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
  scenario("a key is found by its secret and by the one before, and not by the one before that", (world) =>
    Effect.gen(function* () {
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
    })
  ),

  scenario("a key has the latest of its uses, which change nothing else of it", (world) =>
    Effect.gen(function* () {
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
  )
]
