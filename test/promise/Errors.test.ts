/**
 * What calls reject with: classes of errors whose code and status are those of the HTTP API, with
 * messages that name what is wrong; and the limits of a call.
 */
import { Redacted, Result } from "effect"
import { Refusal } from "simplan"
import { Storage } from "simplan/ports"
import {
  ConflictError,
  createSimplan,
  IdempotencyKeyReusedError,
  type ErrorCode,
  InvalidFieldError,
  NotFoundError,
  type Options,
  type Simplan,
  SimplanError,
  type Telco,
  TelcoRefused,
  TelcoRefusedError,
  TelcoUnavailable,
  TelcoUnavailableError,
  TimeoutError
} from "simplan/promise"
import { afterEach, describe, expect, it } from "vitest"
import { Codes } from "../../adapters/fields/index.ts"
import * as Errors from "../../adapters/http/wire/Errors.ts"
import * as Failures from "../../adapters/promise/errors/Failures.ts"
import { SecretKeys } from "simplan/postgres"
import { europe, make, selling, stocked, telco } from "./World.ts"
import { refusals } from "../domain/Refusals.ts"

let simplan: Simplan

afterEach(() => simplan?.close())

const rejection = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.fail("It was not rejected"),
    (error: unknown) => error
  )

/** Makes wrong calls, which the types forbid. */
const wrongly = (call: (request: never) => Promise<unknown>, request: unknown) => rejection(call(request as never))

const conflict = new Storage.StorageError({
  message: "deadlock detected",
  transaction: { is: "in conflict", sqlState: "40P01" }
})

describe("the error of a refusal", () => {
  it("has a code that is one of those that the compiler knows", () => {
    const codes: ReadonlyArray<ErrorCode> = [
      "transaction_conflict",
      // @ts-expect-error: there is no such code.
      "no_such_code"
    ]
    const of = (error: SimplanError): ErrorCode => error.code
    expect(codes).toContain(of(Failures.ofStorage(conflict)))
  })

  it("is there for each", () => {
    const classes = Object.values(Refusal).filter(
      (value) => typeof value === "function" && value.prototype instanceof Error
    )
    expect(new Set(refusals.map((refusal) => refusal.constructor))).toEqual(new Set(classes))
  })

  it.each(refusals.map((refusal) => [refusal._tag, refusal] as const))("%s is as the API has it", (_, refusal) => {
    const error = Failures.ofRefusal(refusal, { method: "m", request: {} })
    const { code } = Errors.ofRefusal(refusal)
    expect(error).toBeInstanceOf(SimplanError)
    expect(error).toMatchObject({ code, status: Codes.status(code) })
    expect(error.message).not.toBe("")
    expect(error.name).toBe(error.constructor.name)
    expect(error.name).not.toBe("SimplanError")
    expect(error.stack).toMatch(new RegExp(`^${error.name}: `))
    expect(Object.keys(error)).not.toContain("name")
    expect(Failures.ofRefusal(Refusal.toPlain(refusal), { method: "m", request: {} })).toEqual(error)
  })
})

describe("a wrong request", () => {
  it("is refused with method, field, value and what is allowed", async () => {
    simplan = make()
    const { organizationId } = await stocked(simplan)
    const coverageId = await europe(simplan, organizationId)
    const good = { organizationId, name: "P", coverageId, dataMegaBytes: 1, periodDays: 1 }
    const recurrence = { periodicity: "Daily", frequency: 0, occurrences: 2 }
    const throttling = [
      { percentage: 50, limit: "512" },
      { percentage: 40, limit: "256" },
      { percentage: 90, limit: "128" }
    ]
    const messageOf = async (change: object) => wrongly(simplan.plans.create, { ...good, ...change })
    expect(await messageOf({ dataMegaBytes: -3 })).toMatchObject({
      name: "InvalidFieldError",
      field: "dataMegaBytes",
      code: "invalid_field",
      status: 400,
      message: "plans.create: dataMegaBytes must be an integer from 1 to 2147483647, not -3"
    })
    expect(await messageOf({ dataMegaBytes: "1" })).toMatchObject({
      message: "plans.create: dataMegaBytes must be a number, not '1'"
    })
    expect(await messageOf({ dataGB: 1 })).toMatchObject({
      field: "dataGB",
      message: "plans.create: dataGB is not known"
    })
    expect(await messageOf({ name: undefined })).toMatchObject({ field: "name" })
    expect(await messageOf({ name: " " })).toMatchObject({ message: "plans.create: name must not be empty" })
    expect(await messageOf({ recurrence })).toMatchObject({ field: "recurrence.frequency" })
    expect(await messageOf({ throttling })).toMatchObject({
      field: "throttling[1].percentage",
      message: "plans.create: throttling[1].percentage must be above threshold 1's, 50, not 40"
    })
    expect(await messageOf({ name: "a\0b" })).toMatchObject({ field: "name" })
    const subscribe = (change: object) =>
      wrongly(simplan.subscriptions.create, { organizationId, planId: "p", ...change })
    expect(await subscribe({ activePeriod: { start: "tomorrow" } })).toMatchObject({ field: "activePeriod.start" })
    expect(await subscribe({ activePeriod: { start: new Date(Number.NaN) } })).toMatchObject({
      field: "activePeriod.start"
    })
    expect(await subscribe({ metadata: "x".repeat(4097) })).toMatchObject({ field: "metadata" })
    expect(await wrongly(simplan.messages.send, { organizationId, iccid: "8", from: "", text: "t" })).toMatchObject({
      field: "from"
    })
    expect(await wrongly(simplan.plans.create, undefined)).toBeInstanceOf(InvalidFieldError)
    expect(() => simplan.plans.list({ organizationId, colour: "red" } as never)).toThrow("colour is not known")
    expect(await rejection(simplan.clock.read({ timeout: "soon" } as never))).toMatchObject({ field: "timeout" })
    expect(await rejection(simplan.clock.read({ retries: 3 } as never))).toMatchObject({ field: "retries" })
    expect(await rejection(simplan.clock.read(null as never))).toMatchObject({
      message: "clock.read, options: the options must be an object"
    })
    expect(await rejection(simplan.clock.read({ request: { actor: 5 } } as never))).toMatchObject({
      message: "clock.read, options: request.actor must be a string, not 5"
    })
    for (const reason of ["x".repeat(501), "a\0b"]) {
      expect(await rejection(simplan.clock.read({ request: { reason } }))).toMatchObject({ field: "request.reason" })
    }
  })

  it("of an organization that does not exist is not found, by each method", async () => {
    simplan = make()
    const organizationId = "acme"
    const coverageId = await europe(simplan, (await simplan.organizations.create({ name: "Other" })).organizationId)
    const calls = [
      simplan.plans.create({ organizationId, name: "P", coverageId, dataMegaBytes: 1, periodDays: 1 }),
      simplan.plans.list({ organizationId }).page(),
      simplan.subscriptions.create({ organizationId, planId: "p" }),
      simplan.subscriptions.list({ organizationId }).toArray(),
      simplan.sims.list({ organizationId }).toArray(),
      simplan.coverage.createRegion({ organizationId, regionName: "R", label: "Green", iso2List: ["FR"] }),
      simplan.attachments.list({ organizationId, iccid: "8" }).toArray()
    ]
    for (const call of calls) {
      const error = await rejection(call)
      expect(error).toBeInstanceOf(NotFoundError)
      expect(error).toMatchObject({
        code: "organization_not_found",
        resource: "organization",
        id: "acme",
        message: 'There is no organization with the id "acme"'
      })
    }
  })
})

describe("a refused call", () => {
  it("rejects with its class", async () => {
    simplan = make()
    const { organizationId, planId } = await selling(simplan)
    expect(await rejection(simplan.plans.get({ organizationId, planId: "none" }))).toMatchObject({
      name: "NotFoundError",
      code: "plan_not_found",
      status: 404,
      resource: "plan",
      id: "none"
    })
    const missing = rejection(simplan.plans.get({ organizationId, planId: "none" }))
    expect(await missing).toHaveProperty(
      "stack",
      expect.stringMatching(/^NotFoundError: There is no plan.*Errors\.test\.ts/s)
    )
    expect(Object.keys(Object(await missing))).toEqual(["code", "status", "resource", "id"])
    await simplan.plans.archive({ organizationId, planId })
    const error = await rejection(simplan.subscriptions.create({ organizationId, planId }))
    expect(error).toBeInstanceOf(ConflictError)
    expect(error).toMatchObject({
      name: "PlanArchivedError",
      code: "plan_archived",
      message: expect.stringMatching("is archived")
    })
  })
})

describe("a telco of plain functions", () => {
  const logged: Array<{ readonly level: string; readonly message: string; readonly err: unknown }> = []
  const write = (level: string) => (message: string, details?: object) => {
    logged.push({ level, message, err: Object.getOwnPropertyDescriptor(details ?? {}, "err")?.value })
  }
  const logger = { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") }

  const subscribe = async (createPackage: Telco["createPackage"], options: Partial<Options> = {}) => {
    logged.length = 0
    simplan = make({ telco: telco({ createPackage }), logger, ...options })
    const { organizationId, planId } = await selling(simplan)
    return simplan.subscriptions.create({ organizationId, planId })
  }

  it("is given Dates, and may answer with either form", async () => {
    const now = new Date()
    let seen: unknown
    simplan = make({
      telco: telco({
        createPackage: async (order, { signal }) => {
          seen = [order.window?.start, order.terms.name, signal.aborted]
          return { telcoPackageId: "t", activationAt: now, expirationAt: "2030-01-01T00:00:00Z" }
        }
      })
    })
    const { organizationId, planId } = await selling(simplan)
    const activePeriod = { start: now, end: "2030-01-01T00:00:00Z" }
    const created = await simplan.subscriptions.create({ organizationId, planId, activePeriod })
    expect(seen).toEqual([now, "Europe 1 GB", false])
    expect(created).toMatchObject({ activationAt: now, expirationAt: new Date("2030-01-01T00:00:00Z") })
  })

  it("refuses with TelcoRefused", async () => {
    const error = await rejection(subscribe(() => Promise.reject(new TelcoRefused("No such product"))))
    expect(error).toBeInstanceOf(TelcoRefusedError)
    expect(error).toMatchObject({ code: "telco_refused", status: 502, message: "The telco refused: No such product" })
  })

  it("is out of reach with TelcoUnavailable, and where it cannot connect", async () => {
    const busy = await rejection(
      subscribe(() => Promise.reject(new TelcoUnavailable("busy", { retryAfterSeconds: 42 })))
    )
    expect(busy).toBeInstanceOf(TelcoUnavailableError)
    expect(busy).toMatchObject({ code: "telco_unavailable", retryAfterSeconds: 42, cause: { message: "busy" } })
    await simplan.close()
    const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" })
    const fetchFailed = new TypeError("fetch failed", { cause })
    const refused = await rejection(subscribe(() => Promise.reject(fetchFailed)))
    expect(refused).toMatchObject({ name: "TelcoUnavailableError", cause: fetchFailed })
    expect(logged).toMatchObject([
      { level: "warn", err: fetchFailed },
      { level: "warn", message: "the telco has not taken an order" }
    ])
  })

  it("with a bug is logged with its stack, and is the cause of the error", async () => {
    const bug = new TypeError("bug in my adapter")
    const error = await rejection(subscribe(() => Promise.reject(bug)))
    expect(error).toBeInstanceOf(SimplanError)
    expect(error).not.toBeInstanceOf(TelcoUnavailableError)
    expect(error).toMatchObject({
      code: "internal_error",
      status: 500,
      cause: bug,
      message: "The function telco.createPackage of the host failed: TypeError: bug in my adapter"
    })
    expect(logged.filter(({ level }) => level === "error")).toMatchObject([{ err: bug }])
  })

  it("that answers with something else gets an error that says what", async () => {
    const error = await rejection(subscribe(async () => ({ id: 1 }) as never))
    expect(error).toMatchObject({
      code: "internal_error",
      message: expect.stringMatching(/createPackage must resolve with \{ telcoPackageId/)
    })
  })
})

describe("a limit", () => {
  let answer: () => void = () => undefined
  const slow = telco({
    createPackage: (order) =>
      new Promise((resolve) => {
        answer = () => resolve({ telcoPackageId: order.packageId })
      })
  })

  it("of time ends a call", async () => {
    simplan = make({ telco: slow, logger: false })
    const { organizationId, planId } = await selling(simplan)
    const error = await rejection(simplan.subscriptions.create({ organizationId, planId }, { timeout: 300 }))
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toMatchObject({ code: "timeout", message: "subscriptions.create was not done within 300 ms" })
    answer()
  })

  it("by a signal ends a call with an AbortError, before and after it begins", async () => {
    simplan = make({ telco: slow, logger: false })
    const { organizationId, planId } = await selling(simplan)
    const controller = new AbortController()
    const { signal } = controller
    const call = rejection(simplan.subscriptions.create({ organizationId, planId }, { signal }))
    const reading = rejection(
      (async () => {
        for await (const _ of simplan.sims.list({ organizationId }, { signal })) controller.abort(new Error("enough"))
        await simplan.sims.list({ organizationId }, { signal }).toArray()
      })()
    )
    expect(await call).toMatchObject({ name: "AbortError", cause: { message: "enough" } })
    expect(await reading).toMatchObject({ name: "AbortError" })
    const later = rejection(simplan.clock.read({ signal: AbortSignal.abort() }))
    expect(await later).toMatchObject({ name: "AbortError" })
    answer()
  })
})

describe("a wrong option", () => {
  const option = (change: object) => () => createSimplan({ database: "memory", telco: "simulator", ...change } as never)

  // As Effect 3 marks its layers.
  const ofEffect3 = { [Symbol.for("effect/Layer")]: {}, pipe: () => undefined }

  it.each([
    [{ database: undefined }, "createSimplan: database must be"],
    [{ database: "mysql://root:hunter2@localhost/db" }, 'it is a text that begins with "mysql:"'],
    [{ database: "localhost:5432/db" }, 'it is a text that begins with "localhost:"'],
    [{ database: "me@10.0.0.1/db" }, "it is like an address without postgres://"],
    [{ database: "" }, "it is empty"],
    [{ database: 5432 }, "it is 5432"],
    [{ database: {} }, "it is an object of another kind"],
    [{ database: { storage: {} } }, "{ storage } with something that is no Layer"],
    [{ clock: null }, 'createSimplan: clock must be "system"'],
    [{ webhooks: { send: 5 } }, "createSimplan: webhooks.send must be an async function, not 5"],
    [{ webhooks: { ports: [443, 0] } }, "ports[1] must be an integer of at least 1 and at most 65535, not 0"],
    [{ webhooks: [] }, "createSimplan, webhooks: the options must be an object"],
    [{ http: null }, "createSimplan, http: the options must be an object"],
    [{ http: { groups: "v3" } }, "createSimplan, http: groups must be an array, not 'v3'"],
    [{ schema: "My Schema" }, "createSimplan: schema must be 1 to 63 lower-case letters"],
    [{ secretKeys: 1 }, "createSimplan: secretKeys must be"],
    [{ secretKeys: "hunter2" }, "createSimplan: secretKeys must be a text of 32 bytes in base64 or hexadecimal"],
    [{ telco: ofEffect3 }, "createSimplan: telco is a Layer of another Effect (3), and must be one of Effect 4"],
    [{ clock: ofEffect3 }, "createSimplan: clock is a Layer of another Effect (3)"],
    [{ webhooks: ofEffect3 }, "createSimplan: webhooks is a Layer of another Effect (3)"],
    [{ catalogue: ofEffect3 }, "createSimplan: catalogue is a Layer of another Effect (3)"],
    [{ database: { storage: ofEffect3 } }, "createSimplan: database.storage is a Layer of another Effect (3)"],
    [{ telco: undefined }, "createSimplan: telco must be"],
    [{ telco: {} }, "createSimplan: telco.createPackage must be an async function, not undefined"],
    [{ webhooks: true }, "createSimplan: webhooks must be"],
    [{ webhooks: { https: true } }, "https is not known"],
    [{ clock: { start: "noon" } }, "start must be a valid Date"],
    [{ clock: "virtual" }, 'createSimplan: clock must be "system"'],
    [{ logger: { log: () => undefined } }, "createSimplan: logger must be false"],
    [{ worker: "yes" }, "createSimplan: worker must be true or false, not 'yes'"],
    [{ storage: "memory" }, "createSimplan: storage is not known"],
    [{ quotas: { plan: 1 } }, "createSimplan: quotas.plan is not known"],
    [{ quotas: { plans: 0 } }, "createSimplan: quotas.plans must be an integer from 1 to 1,000,000, not 0"],
    [{ smsLimit: { messages: 0, window: "1 minute" } }, "messages must be an integer from 1 to 1,000,000, not 0"],
    [{ smsLimit: { messages: 5 } }, "createSimplan, smsLimit: window"],
    [{ smsLimit: { messages: 5, window: 0 } }, "createSimplan, smsLimit: window must be at least 1 ms"],
    [{ smsLimit: "none" }, "createSimplan, smsLimit: "]
  ])("%o is refused at once, in one sentence", (change, message) => {
    expect(option(change)).toThrow(InvalidFieldError)
    expect(option(change)).toThrow(message)
    expect(option(change)).not.toThrow("hunter2")
  })

  const key = Buffer.alloc(32, 0xfb)
  const [hexadecimal, base64] = [key.toString("hex"), key.toString("base64")]
  it.each([
    ...[hexadecimal, base64, key.toString("base64url"), ` ${base64} , ${hexadecimal}\n`, "", ",", `${base64},`],
    ...[`${base64},${base64},${base64}`, base64.slice(1), `${base64}=`, `${hexadecimal}0`, `${hexadecimal}\u00a0`]
  ])("secretKeys %o are taken at once where the storage takes them, and only there", async (secretKeys) => {
    const isKey = Result.isSuccess(SecretKeys.parse(Redacted.make(secretKeys)))
    if (!isKey) expect(option({ secretKeys })).toThrow(InvalidFieldError)
    else await make({ secretKeys }).close()
  })
})

describe("an idempotency key", () => {
  it("makes a call happen once", async () => {
    simplan = make()
    const { organizationId, planId } = await selling(simplan)
    const request = { organizationId, planId }
    const key = { idempotencyKey: "order-1" }
    const first = await simplan.subscriptions.create(request, key)
    expect(await simplan.subscriptions.create({ planId, organizationId }, key)).toEqual(first)
    expect(await simplan.subscriptions.list({ organizationId }).toArray()).toHaveLength(1)
    const other = await rejection(simplan.subscriptions.create({ ...request, metadata: "other" }, key))
    expect(other).toBeInstanceOf(IdempotencyKeyReusedError)
    expect(other).toMatchObject({ field: "idempotencyKey", status: 422 })
    const elsewhere = await rejection(simplan.plans.archive({ organizationId, planId }, key))
    expect(elsewhere).toBeInstanceOf(IdempotencyKeyReusedError)
    const bad = await rejection(simplan.plans.archive({ organizationId, planId }, { idempotencyKey: "" }))
    expect(bad).toMatchObject({ field: "idempotencyKey", code: "invalid_idempotency_key" })
  })

  it("knows a request again in whichever form its instants and defaults are", async () => {
    simplan = make()
    const { organizationId, planId } = await selling(simplan)
    const [key, start, end] = [{ idempotencyKey: "order-1" }, "2100-01-01T00:00:00Z", "2100-01-02T00:00:00+00:00"]
    const texts = { organizationId, planId, activePeriod: { start, end } }
    const first = await simplan.subscriptions.create(texts, key)
    const dates = { ...texts, metadata: "", activePeriod: { start: new Date(start), end: new Date(end) } }
    expect(await simplan.subscriptions.create(dates, key)).toEqual(first)
    const later = { ...texts, activePeriod: { start, end: new Date("2100-01-03") } }
    expect(await rejection(simplan.subscriptions.create(later, key))).toBeInstanceOf(IdempotencyKeyReusedError)
    const apiKey = { organizationId, name: "a", expiresAt: start }
    const { apiKeyId } = await simplan.apiKeys.create(apiKey, { idempotencyKey: "key-1" })
    const again = { expiresAt: new Date(start), scope: "full", name: "a", organizationId } as const
    expect(await simplan.apiKeys.create(again, { idempotencyKey: "key-1" })).toMatchObject({ apiKeyId })
  })

  it("distinguishes a field that is null from one that is not there", async () => {
    simplan = make()
    const { organizationId } = await stocked(simplan)
    const [sim] = await simplan.sims.list({ organizationId }).toArray()
    const of = { organizationId, iccid: sim?.iccid ?? "" }
    const key = { idempotencyKey: "correction" }
    expect(await simplan.sims.update({ ...of, label: "Blue" }, key)).toMatchObject({ lpa: sim?.lpa })
    const other = await rejection(simplan.sims.update({ ...of, label: "Blue", lpa: null }, key))
    expect(other).toBeInstanceOf(IdempotencyKeyReusedError)
  })

  it("is taken by every method that writes", async () => {
    simplan = make({ clock: { start: "2026-01-01T00:00:00Z" }, webhooks: { allowPrivateAddresses: true } })
    const key = { idempotencyKey: "k" }
    const twice = async <A>(call: () => Promise<A>): Promise<A> => {
      const first = await call()
      expect(await call()).toEqual(first)
      return first
    }
    const { organizationId } = await twice(() => simplan.organizations.create({ name: "Acme" }, key))
    expect(await simplan.organizations.list().toArray()).toHaveLength(1)
    const row = { iccid: "8999900000000010000", label: "Green", isEsim: true }
    let keys = 0
    const fresh = () => ({ idempotencyKey: `k${keys}` })
    const next = <A>(call: (options: { readonly idempotencyKey: string }) => Promise<A>) => {
      keys += 1
      return twice(() => call(fresh()))
    }
    expect(await next((options) => simplan.sims.import({ organizationId, rows: [row] }, options))).toMatchObject({
      imported: 1
    })
    const made = await simplan.apiKeys.create({ organizationId, name: "a" }, key)
    expect(made.key).toMatch(/^simplan_/)
    const again = await simplan.apiKeys.create({ organizationId, name: "a" }, key)
    expect(again).toEqual({ ...made, key: null })
    expect(await simplan.apiKeys.list({ organizationId }).toArray()).toHaveLength(1)
    const { apiKeyId } = made
    await next((options) => simplan.apiKeys.revoke({ organizationId, apiKeyId }, options))
    const url = "http://localhost:1/"
    const { webhookEndpointId } = await next((options) => simplan.webhooks.create({ organizationId, url }, options))
    expect(await simplan.webhooks.list({ organizationId }).toArray()).toHaveLength(1)
    await next((options) => simplan.webhooks.rotateKey({ organizationId, webhookEndpointId }, options))
    await next((options) => simplan.webhooks.update({ organizationId, webhookEndpointId, enabled: false }, options))
    await next((options) => simplan.webhooks.remove({ organizationId, webhookEndpointId }, options))
    await next((options) => simplan.webhooks.replayAll({ organizationId }, options))
    await next((options) =>
      simplan.coverage.createRegion(
        { organizationId, regionName: "R", label: "Green", iso2List: ["FR", "IT", "CH"] },
        options
      )
    )
    await next((options) => simplan.reports.take({ reports: [{ id: "x" } as never] }, options))
    await next((options) => simplan.clock.advanceBy({ by: "1 hour" }, options))
    expect((await simplan.clock.read()).now).toEqual(new Date("2026-01-01T01:00:00Z"))
    await next((options) => simplan.wallet.setMobilePlan({ organizationId, apply: true, label: "Green" }, options))
  })
})
