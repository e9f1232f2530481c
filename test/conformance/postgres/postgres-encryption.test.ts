/**
 * Secrets at rest on PostgreSQL: start, rotation and tampering. The storage's suite runs with a key
 * on PGlite.
 */
import { randomBytes } from "node:crypto"
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { type Command, type Idempotency, Outbox, type Storage, type WebhookEndpoint } from "simplan/ports"
import * as Postgres from "simplan/postgres"
import { describe, expect, it } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import { type Adapter, allSims, iccidOf, newSim, on } from "./PostgresWorld.ts"
import * as Tests from "../../setup/Tests.ts"

const url = Databases.forEachTest()

const newKey = (): string => randomBytes(32).toString("base64")

const optionsOf = (keys: string | undefined) => ({
  url: Redacted.make(url()),
  maxConnections: 2,
  ...(keys !== undefined && { secretKeys: Redacted.make(keys) })
})

/** A process with these keys on the test's database, while `use` runs. */
const withKeys = <A, E>(keys: string | undefined, use: (adapter: Adapter) => Effect.Effect<A, E>) =>
  Layer.build(Layer.fresh(Postgres.layer(optionsOf(keys)))).pipe(Effect.flatMap(use), Effect.scoped)

/** How a process with these keys fails to start. */
const refusal = (keys: string | undefined) =>
  Effect.map(Effect.flip(withKeys(keys, () => Effect.void)), ({ message }) => message)

const sqlOf = (adapter: Adapter): SqlClient.SqlClient => Context.get(adapter, SqlClient.SqlClient)

const lpaOf = (number: number): string => `LPA:1$smdp.example$SECRET-${number}`

const endpoint = (endpointId: string): WebhookEndpoint.WebhookEndpoint => ({
  organizationId: "acme",
  endpointId,
  url: `https://example.com/SECRET?token=SECRET-${endpointId}`,
  events: null,
  description: "",
  disabled: null,
  failingSince: null,
  signingKeys: [
    { key: `whsec_new-${endpointId}`, validUntil: null },
    { key: `whsec_old-${endpointId}`, validUntil: 5_000 }
  ],
  createdAt: 0,
  deletedAt: null,
  version: 0
})

const sims = [1, 2, 3].map((number) => newSim("acme", number, { lpa: lpaOf(number) }))

const outcomeOf = (sim: Storage.NewSim): Idempotency.Outcome => ({
  _tag: "Succeeded",
  answer: {
    kind: "Created",
    value: {
      subscriptionId: "subscription",
      createdAt: 1_000,
      metadata: "",
      attachmentId: "attachment",
      sim: { ...sim, importSequence: 1, version: 1 },
      period: null
    }
  }
})

const created = (sim: Storage.NewSim): Storage.Commit => ({
  idempotency: {
    put: [
      {
        record: {
          organizationId: "acme",
          key: "creation",
          fingerprint: "",
          createdAt: 1_000,
          outcome: outcomeOf(sim)
        },
        replaces: 0
      }
    ]
  }
})

const commandOf = (commandId: string, outcome: Idempotency.Outcome): Command.Command => ({
  organizationId: "acme",
  commandId,
  request: { _tag: "CreateSubscription", planId: "plan", metadata: "", iccid: null, activePeriod: null },
  createdAt: 1_000,
  outcome,
  settledAt: outcome._tag === "Pending" ? null : 1_000
})

/** Two commands: one that is stored with its outcome, and one that gets it later. */
const commands = (sim: Storage.NewSim): ReadonlyArray<Storage.Commit> => {
  const outcome = outcomeOf(sim)
  return [
    { commands: { put: [commandOf("at once", outcome), commandOf("later", { _tag: "Pending" })] } },
    { commands: { settled: [{ organizationId: "acme", commandId: "later", outcome, settledAt: 1_000 }] } }
  ]
}

const fill = (adapter: Adapter) =>
  on(adapter, (storage) =>
    Effect.gen(function* () {
      yield* storage.commit({ organizations: [{ organizationId: "acme", name: "Acme", createdAt: 0 }] })
      yield* storage.sims.import(sims)
      yield* storage.commit({ webhookEndpoints: [endpoint("a"), endpoint("b")] })
      for (const sim of sims.slice(0, 1)) {
        for (const commit of [created(sim), ...commands(sim)]) yield* storage.commit(commit)
      }
    })
  )

/** What is read of it. */
const secrets = (adapter: Adapter) =>
  Effect.gen(function* () {
    const lpas = (yield* allSims(adapter, "acme")).map(({ lpa }) => lpa)
    const of = { organizationId: "acme", limit: 10, after: null }
    const endpoints = yield* on(adapter, (storage) => storage.webhookEndpoints.page(of))
    const record = yield* on(adapter, ({ idempotencyRecords }) =>
      idempotencyRecords.get({ organizationId: "acme", key: "creation" })
    )
    const outcomes = [record?.outcome]
    for (const commandId of ["at once", "later"]) {
      const command = yield* on(adapter, (storage) => storage.commands.get({ organizationId: "acme", commandId }))
      outcomes.push(command?.outcome)
    }
    return { lpas, endpoints: endpoints.map(({ signingKeys, url }) => ({ url, signingKeys })), outcomes }
  })

const expected = {
  lpas: [lpaOf(1), lpaOf(2), lpaOf(3)],
  endpoints: [endpoint("a"), endpoint("b")].map(({ signingKeys, url }) => ({ url, signingKeys })),
  outcomes: Array(3).fill(outcomeOf(newSim("acme", 1, { lpa: lpaOf(1) })))
}

/** How many secrets are stored plain, and how many with each key. */
const stored = (adapter: Adapter) =>
  Effect.map(
    sqlOf(adapter)<{ readonly text: string }>`
      select lpa as text from simplan.sim
      union all select url from simplan.webhook_endpoint
      union all select jsonb_array_elements(signing_keys) ->> 'key' from simplan.webhook_endpoint
      union all select outcome #>> '{answer,value,sim,lpa}' from simplan.idempotency
      union all select outcome #>> '{answer,value,sim,lpa}' from simplan.command`,
    (rows) => {
      const counts = new Map<string, number>()
      for (const { text } of rows) {
        const [form = "", id = ""] = text.split(":")
        const kind = form === "aes256gcm" ? id : "plain"
        counts.set(kind, (counts.get(kind) ?? 0) + 1)
      }
      return [...counts.values()]
    }
  )

const reencrypted = (adapter: Adapter, keys: string) => Effect.provide(Postgres.reencrypt(Redacted.make(keys)), adapter)

describe("secrets at rest", () => {
  Tests.scoped("that were stored plain are read with a key, and encrypted by the command, once", function* () {
    const key = newKey()
    yield* withKeys(undefined, fill)
    yield* withKeys(key, (adapter) =>
      Effect.gen(function* () {
        expect(yield* secrets(adapter)).toEqual(expected)
        expect(yield* stored(adapter)).toEqual([12])
        expect(yield* reencrypted(adapter, key)).toBe(8)
        expect(yield* secrets(adapter)).toEqual(expected)
        expect(yield* reencrypted(adapter, key)).toBe(0)
      })
    )
    const message = yield* refusal(undefined)
    expect(message).toMatch(/^Secrets in the database are encrypted with the key [0-9a-f]{16}, and SIMPLAN_SECRET_KEY/)
    expect(message).toMatch(/is not set$/)
  })

  Tests.scoped(
    "go from one key to the next while processes have both, after which the old one is not needed",
    function* () {
      const [first, second] = [newKey(), newKey()]
      yield* withKeys(first, fill)
      expect(yield* refusal(second)).toMatch(/is another key, or lacks it$/)
      const rotating = `${second},${first}`
      yield* withKeys(rotating, (adapter) =>
        Effect.gen(function* () {
          expect(yield* secrets(adapter)).toEqual(expected)
          yield* on(adapter, ({ sims }) => sims.import([newSim("acme", 4, { lpa: lpaOf(4) })]))
          expect((yield* stored(adapter)).toSorted()).toEqual([1, 12])
          expect(yield* refusal(first)).toMatch(/is another key, or lacks it$/)
          expect(yield* reencrypted(adapter, rotating)).toBe(8)
          expect(yield* stored(adapter)).toEqual([13])
        })
      )
      expect(yield* withKeys(second, secrets)).toEqual({ ...expected, lpas: [...expected.lpas, lpaOf(4)] })
      expect(yield* refusal(first)).toMatch(/is another key, or lacks it$/)
      expect(yield* refusal("nope")).toMatch(/^The secret key must be 32 bytes/)
    }
  )

  it("that a repeated import brings are encrypted, and replace none", () =>
    withKeys(newKey(), (adapter) =>
      Effect.gen(function* () {
        const bare = newSim("acme", 1, { lpa: null })
        const both = [{ ...bare, lpa: lpaOf(1) }, newSim("acme", 2, { lpa: lpaOf(9) })]
        const { updated } = yield* on(adapter, ({ sims }) =>
          sims.import([bare, newSim("acme", 2, { lpa: lpaOf(2) })]).pipe(Effect.andThen(sims.import(both)))
        )
        expect(updated).toEqual([bare.iccid])
        expect((yield* secrets(adapter)).lpas).toEqual([lpaOf(1), lpaOf(2)])
        expect(yield* stored(adapter)).toEqual([2])
      })
    ).pipe(Effect.runPromise))

  it("that were moved to another row fail the reads of that row alone", () =>
    withKeys(newKey(), (adapter) =>
      Effect.gen(function* () {
        yield* fill(adapter)
        const sql = sqlOf(adapter)
        yield* sql`update simplan.sim set lpa = (select lpa from simplan.sim where iccid = ${iccidOf(1)})
          where iccid = ${iccidOf(2)}`
        const simOf = (number: number) =>
          on(adapter, (storage) => storage.simAggregates.get({ organizationId: "acme", iccid: iccidOf(number) }))
        const failure = yield* Effect.flip(simOf(2))
        expect(failure._tag).toBe("StorageError")
        expect(failure.message).toBe(
          `The activation code of ${iccidOf(2)} (organization acme) was changed, or moved here from another row`
        )
        expect((yield* simOf(3))?.sim.lpa).toBe(lpaOf(3))
      })
    ).pipe(Effect.runPromise))

  it("that were moved to another endpoint leave its deliveries behind, and hold up no others", () =>
    withKeys(newKey(), (adapter) =>
      Effect.gen(function* () {
        yield* fill(adapter)
        const payload = {
          type: "subscription.esim.locationChanged",
          data: { esim: iccidOf(1), countryIso2: "FR", previousCountryIso2: null }
        } as const
        yield* on(adapter, (storage) =>
          storage.commit({ events: [{ organizationId: "acme", eventId: "e", createdAt: 0, payload }] })
        )
        const sql = sqlOf(adapter)
        yield* sql`update simplan.webhook_endpoint set signing_keys = (
          select signing_keys from simplan.webhook_endpoint where endpoint_id = 'a'
        ) where endpoint_id = 'b'`
        const logs: Array<unknown> = []
        const claimed = yield* Context.get(adapter, Outbox.Outbox)
          .claim({ now: 1, machineNow: 1, until: 1_000, token: "t", limit: 10 })
          .pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => logs.push(message))])))
        expect(claimed.map((due) => due.endpoint.signingKeys)).toEqual([endpoint("a").signingKeys])
        expect(String(logs)).toBe(
          "a webhook cannot be signed: The signing key of b (organization acme) was changed, or moved here from another row"
        )
      })
    ).pipe(Effect.runPromise))
})
