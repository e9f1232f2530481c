/**
 * Room for what is being read (rule W13): large reads of one organization begin few at a time,
 * whichever its keys, and those of others at once.
 */
import { Context, Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Attachments, RequestContext } from "simplan"
import { describe, expect, it } from "vitest"
import * as Concurrency from "../../../adapters/http/middleware/Concurrency.ts"
import * as World from "../World.ts"
import * as Tests from "../../setup/Tests.ts"

const MB = 1_048_576

describe("the room that a read needs", () => {
  const path = "/v3/plans"

  Tests.onTestClock(
    "is what the organization's reads of the route have loaded, and less from minute to minute",
    function* () {
      const room = yield* Concurrency.makeReadRoom
      const expected = () => [
        room.expected("acme", path),
        room.expected("acme", "/v3/sims"),
        room.expected("other", path)
      ]
      expect(expected()).toEqual([8, 8, 8])
      room.learn("acme", path, MB)
      room.learn("acme", path, 100)
      room.learn("acme", "/v3/sims", 100)
      expect(expected()).toEqual([32, 1, 8])
      yield* TestClock.adjust("1 minute")
      expect(expected()).toEqual([32, 1, 8])
      room.learn("acme", path, 100_000)
      for (const slots of [16, 8, 4, 2, 1]) {
        yield* TestClock.adjust("1 minute")
        expect(expected()).toEqual([slots, 1, 8])
      }
      room.learn("acme", path, 5 * MB)
      expect(expected()).toEqual([32, 1, 8])
      yield* TestClock.adjust("1 hour")
      expect(expected()).toEqual([1, 1, 8])
    }
  )
})

let world: World.World

/**
 * A world whose lists of attachments load so many bytes each, and are answered when they are let
 * go.
 */
const reading = async (bytes: number) => {
  const underWay = new Map<string, number>()
  const most = new Map<string, number>()
  let gate = Deferred.makeUnsafe<void>()
  world = await World.forTest({
    bounds: { requests: 20 },
    replace: (context) => {
      const list = ({ organizationId: id }: { readonly organizationId: string }) =>
        Effect.gen(function* () {
          underWay.set(id, (underWay.get(id) ?? 0) + 1)
          most.set(id, Math.max(most.get(id) ?? 0, underWay.get(id) ?? 0))
          yield* Deferred.await(gate)
          yield* RequestContext.countBytes(bytes)
          underWay.set(id, (underWay.get(id) ?? 0) - 1)
          return []
        })
      const attachments = Context.get(context, Attachments.Attachments)
      return Context.add(context, Attachments.Attachments, Attachments.Attachments.of({ ...attachments, list }))
    }
  })
  return {
    begun: ({ organizationId }: World.Tenant) => underWay.get(organizationId) ?? 0,
    /** The most at a time since the last call. */
    most: ({ organizationId }: World.Tenant) => {
      const count = most.get(organizationId) ?? 0
      most.clear()
      return count
    },
    hold: () => {
      gate = Deferred.makeUnsafe<void>()
    },
    letGo: () => void Deferred.doneUnsafe(gate, Effect.void)
  }
}

const path = `/v3/subscriptions/${World.iccid(1)}/plan-attachments`

/** Requests of four keys of the organization, and how they were answered. */
const many = async ({ organizationId }: World.Tenant, count: number) => {
  const keys: Array<string> = []
  for (let n = 0; n < 4; n++) {
    const made = await world.admin("POST", `/organizations/${organizationId}/api-keys`, {
      name: `k${n}`,
      scope: "read"
    })
    keys.push(made.body.data.key)
  }
  const send = (n: number) => world.fetch("GET", path, { headers: { "x-api-key": keys[n % 4] ?? "" } })
  return () => Promise.all(Array.from({ length: count }, async (_, n) => (await send(n)).status))
}

describe("what is read for an organization", () => {
  it("lists of 1 MiB are read one at a time, whichever key asks, and another organization's at once", async () => {
    const lists = await reading(MB)
    const [acme, other] = [await World.tenant(world), await World.tenant(world)]
    const ask = await many(acme, 40)
    const first = ask()
    // Nothing is known of them yet.
    await expect.poll(() => lists.begun(acme)).toBe(7)
    const theirs = other.get(path)
    await expect.poll(() => lists.begun(other)).toBe(1)
    lists.letGo()
    // On a busy machine some may have waited for too long.
    expect((await first).filter((status) => status !== 429)).toEqual(
      expect.arrayContaining([200, 200, 200, 200, 200, 200, 200])
    )
    expect((await first).every((status) => status === 200 || status === 429)).toBe(true)
    expect((await theirs).status).toBe(200)
    expect(lists.most(acme)).toBe(7)

    lists.hold()
    const second = ask()
    await expect.poll(() => lists.begun(acme)).toBe(1)
    const again = other.get(path)
    await expect.poll(() => lists.begun(other)).toBe(1)
    // Those that wait for too long are refused.
    expect((await acme.get(path)).body.code).toBe("concurrency_limited")
    expect(lists.most(acme)).toBe(1)
    lists.letGo()
    expect((await again).status).toBe(200)
    expect(await second).toContain(200)
    expect((await acme.get(path)).status).toBe(200)
  })

  it("small reads are as many at a time as the organization may have under way", async () => {
    const lists = await reading(500)
    const acme = await World.tenant(world)
    const ask = await many(acme, 50)
    lists.letGo()
    await ask()
    lists.hold()
    const all = ask()
    await expect.poll(() => lists.begun(acme)).toBe(50)
    lists.letGo()
    expect(new Set(await all)).toEqual(new Set([200]))
  })
})
