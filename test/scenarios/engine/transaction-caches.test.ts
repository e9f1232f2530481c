/**
 * H1: what a process keeps in memory, and a transaction of the host that reads the same: what that
 * transaction sees may be rolled back, so nobody else is given it, and it waits for no read of
 * others.
 */
import * as NodeCrypto from "@effect/platform-node-shared/NodeCrypto"
import { Context, Effect, Fiber, Layer } from "effect"
import { Clocks, HostTransaction, Storage } from "simplan/ports"
import * as Memory from "simplan/memory"
import { StandardCatalogue } from "simplan/catalogue"
import { expect, it } from "vitest"
import * as Caused from "../../../src/app/commit/Caused.ts"
import * as Commits from "../../../src/app/commit/Commits.ts"
import * as Ids from "../../../src/app/commit/Ids.ts"
import * as ApiKeys from "../../../src/app/organizations/ApiKeys.ts"
import * as Organizations from "../../../src/app/organizations/Organizations.ts"
import * as Catalogues from "../../../src/app/plans/Catalogues.ts"

/** Whether the running fiber is in the transaction, and sees what it has written. */
const Inside = Context.Reference<boolean>("test/Inside", { defaultValue: () => false })
const inside = Effect.provideService(Inside, true)

type Reads = (storage: Storage.Storage["Service"]) => Partial<Storage.Storage["Service"]>

/** The services over a storage that reads so. */
const services = (reads: Reads) => {
  const storage = Layer.effect(
    Storage.Storage,
    Effect.map(Storage.Storage, (stored) => Storage.Storage.of({ ...stored, ...reads(stored) }))
  ).pipe(Layer.provide(Memory.layer))
  const ports = Layer.mergeAll(
    Ids.layer.pipe(Layer.provide(NodeCrypto.layer)),
    StandardCatalogue.layer,
    Clocks.system,
    Layer.succeed(HostTransaction.HostTransaction, Effect.service(Inside))
  ).pipe(Layer.provideMerge(storage))
  return Layer.mergeAll(Catalogues.layer, ApiKeys.layer).pipe(
    Layer.provideMerge(Organizations.layer),
    Layer.provideMerge(Commits.layer),
    Layer.provideMerge(Caused.namedTypesLayer),
    Layer.provideMerge(ports)
  )
}

const run = <A, E>(reads: Reads, effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof services>>>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, services(reads)))

const whereInside = <A>(within: A, outside: A) => Effect.map(Effect.service(Inside), (is) => (is ? within : outside))

it("opt-in events: those of an endpoint that is made or removed there are notified to no one else", () =>
  run(
    (storage) => ({
      webhookEndpoints: {
        ...storage.webhookEndpoints,
        namedTypes: ({ organizationId }) =>
          organizationId === "makes"
            ? whereInside<ReadonlyArray<"attachment.activated">>(["attachment.activated"], [])
            : whereInside<ReadonlyArray<"attachment.activated">>([], ["attachment.activated"])
      }
    }),
    Effect.gen(function* () {
      const types = (organizationId: string) =>
        Caused.NamedTypes.use((of) => Effect.map(of.of(organizationId), (found) => [...found]))
      expect(yield* inside(types("makes"))).toEqual(["attachment.activated"])
      expect(yield* types("makes")).toEqual([])
      expect(yield* inside(types("makes"))).toEqual(["attachment.activated"])
      expect(yield* inside(types("removes"))).toEqual([])
      expect(yield* types("removes")).toEqual(["attachment.activated"])
    })
  ))

it("opt-in events: a transaction waits for no read of others, which may wait for its connection", () =>
  run(
    (storage) => ({
      webhookEndpoints: {
        ...storage.webhookEndpoints,
        namedTypes: () =>
          Effect.flatten(whereInside<Effect.Effect<ReadonlyArray<never>>>(Effect.succeed([]), Effect.never))
      }
    }),
    Effect.gen(function* () {
      const { of } = yield* Caused.NamedTypes
      const waiting = yield* Effect.forkChild(of("acme"), { startImmediately: true })
      expect(yield* Effect.timeout(inside(of("acme")), "20 seconds")).toEqual(new Set())
      yield* Fiber.interrupt(waiting)
    })
  ))

it.each([0, 1])(
  "the catalogue: one that is replaced there and rolled back is seen by nobody else, whose version is %i",
  (committed) => {
    const all = StandardCatalogue.catalogue().countries
    const catalogueOf = (count: number) => ({ countries: all.slice(0, count), operators: [], profiles: [] })
    return run(
      () => ({
        catalogues: {
          version: whereInside(1, committed),
          get: whereInside(catalogueOf(1), committed === 0 ? null : catalogueOf(2))
        }
      }),
      Effect.gen(function* () {
        const count = Catalogues.Catalogues.use((of) =>
          Effect.map(of.current, ({ countryByIso2 }) => countryByIso2.size)
        )
        expect(yield* inside(count)).toBe(1)
        expect(yield* count).toBe(committed === 0 ? all.length : 2)
      })
    )
  }
)

it("API keys: one that is made there and rolled back lets nobody in", () => {
  let key: ApiKeys.NewKey | undefined
  return run(
    (storage) => ({
      apiKeys: { ...storage.apiKeys, byHash: () => Effect.suspend(() => whereInside(key?.apiKey ?? null, null)) }
    }),
    Effect.gen(function* () {
      const { organizationId } = yield* Organizations.Organizations.use((of) => of.create({ name: "Acme" }))
      const apiKeys = yield* ApiKeys.ApiKeys
      const made = yield* apiKeys.create({ organizationId, name: "key", scope: "full", expiresAt: null })
      key = made
      expect(yield* inside(apiKeys.authenticate(made.key))).toEqual(made.apiKey)
      expect(yield* Effect.flip(apiKeys.authenticate(made.key))).toMatchObject({ _tag: "KeyRefused" })
    })
  )
})
