/**
 * The simulated telco as a process of its own, until the scope closes: it serves the contract of
 * `telco-http` and the control API, and keeps its books in a store. The control API reads the books
 * and sets faults. It is for tests and demonstrations; a real telco does not have it.
 */
import { Effect, type FileSystem, Layer, Redacted, type Scope, Schema } from "effect"
import { TelcoServer, Contract } from "../../telco-http/index.ts"
import { TelcoSimulator, Faults } from "../../telco-simulator/index.ts"
import { type CommandFailed, impossible, systemCode } from "../output/CommandFailed.ts"
import * as Credentials from "../settings/Credentials.ts"
import { type DatabaseUrl, withoutPassword } from "../settings/DatabaseUrl.ts"
import * as Settings from "../settings/Settings.ts"
import * as Stores from "../server/Stores.ts"
import { HttpServer } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Time } from "simplan"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** Which calls fail: of one kind, of one SIM, and how many; all calls without these fields. */
const target = {
  on: Schema.optionalKey(Schema.Literals(Faults.kinds)),
  iccid: Schema.optionalKey(Schema.String),
  times: Schema.optionalKey(Count)
}

const Fault = Schema.Union([
  Schema.Struct({ fault: Schema.Literal("refuse"), message: Schema.optionalKey(Schema.String), ...target }),
  Schema.Struct({ fault: Schema.Literal("unavailable"), retry_after_seconds: Schema.optionalKey(Count), ...target }),
  Schema.Struct({ fault: Schema.Literal("answer lost"), ...target }),
  Schema.Struct({ fault: Schema.Literal("slow"), delay_millis: Count, ...target })
])

const Package = Schema.Struct({
  package_id: Schema.String,
  telco_package_id: Schema.String,
  iccid: Schema.String,
  status: Schema.Literals(["active", "suspended", "cancelled"]),
  window: Schema.NullOr(Schema.Struct({ start: Schema.String, end: Schema.String })),
  label: Schema.String,
  data_mega_bytes: Schema.Finite,
  period_days: Schema.Finite
})

const Message = Schema.Struct({
  message_id: Schema.String,
  iccid: Schema.String,
  from: Schema.String,
  text: Schema.String
})

/** What the telco has done, in order. Refused calls are not included. */
const Books = Schema.Struct({
  packages: Schema.Array(Package),
  /** Ids of packages that were cancelled before they were created. */
  spent_keys: Schema.Array(Schema.String),
  messages: Schema.Array(Message),
  mobile_plans: Schema.Array(Schema.Struct({ iccid: Schema.String, applied: Schema.Boolean })),
  /** Those SIMs that were ever paused. */
  services: Schema.Array(Schema.Struct({ iccid: Schema.String, active: Schema.Boolean })),
  /** The ICCID of each release of a profile. */
  released_profiles: Schema.Array(Schema.String),
  /** Calls since the start of the process, by kind. */
  calls: Schema.Record(Schema.String, Schema.Int)
})

class Control extends HttpApiGroup.make("control")
  .add(HttpApiEndpoint.get("books", "/books", { success: Books }))
  .add(
    HttpApiEndpoint.put("faults", "/faults", {
      payload: Schema.Struct({ faults: Schema.Array(Fault) }),
      success: Schema.Struct({ faults: Schema.Int })
    })
  )
  .middleware(Contract.Form)
  .middleware(Contract.Token)
  .prefix("/simulator") {}

class TelcoControl extends HttpApi.make("simplan-telco-control").add(Control) {}

type Wire = typeof Fault.Type

const faultOf = (wire: Wire): Faults.Fault => {
  const { iccid, on, times } = wire
  const target = {
    ...(on === undefined ? {} : { on }),
    ...(times === undefined ? {} : { times }),
    ...(iccid === undefined ? {} : { when: (call: Faults.Call) => call.iccid === iccid })
  }
  switch (wire.fault) {
    case "refuse":
      return { ...target, fault: wire.fault, ...(wire.message === undefined ? {} : { message: wire.message }) }
    case "unavailable": {
      const { fault, retry_after_seconds: retryAfterSeconds } = wire
      return { ...target, fault, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
    }
    case "answer lost":
      return { ...target, fault: wire.fault }
    case "slow":
      return { ...target, fault: wire.fault, delay: wire.delay_millis }
  }
}

const packageOf = (one: TelcoSimulator.SimulatedPackage) => ({
  package_id: one.packageId,
  telco_package_id: one.telcoPackageId,
  iccid: one.iccid,
  status: one.status,
  window: one.window === null ? null : { start: Time.toIso(one.window.start), end: Time.toIso(one.window.end) },
  label: one.label,
  data_mega_bytes: one.dataMegaBytes,
  period_days: one.periodDays
})

const handlers = HttpApiBuilder.group(
  TelcoControl,
  "control",
  Effect.fnUntraced(function* (handle) {
    const simulator = yield* TelcoSimulator.TelcoSimulator
    const books = Effect.gen(function* () {
      const mobilePlans = yield* simulator.mobilePlans
      const services = yield* simulator.services
      return {
        packages: (yield* simulator.packages).map(packageOf),
        spent_keys: yield* simulator.spentKeys,
        messages: (yield* simulator.messages).map(({ from, iccid, messageId, text }) => ({
          message_id: messageId,
          iccid,
          from,
          text
        })),
        mobile_plans: Array.from(mobilePlans, ([iccid, applied]) => ({ iccid, applied })),
        services: Array.from(services, ([iccid, active]) => ({ iccid, active })),
        released_profiles: yield* simulator.releasedProfiles,
        calls: yield* simulator.calls
      }
    })
    return handle.handleAll({
      books: () => Effect.orDie(books),
      faults: ({ payload: { faults } }) =>
        Effect.as(simulator.setFaults(faults.map(faultOf)), { faults: faults.length })
    })
  })
)

/** Adds the routes to a router. They need the same token as the contract's routes. */
export const layer = (options: TelcoServer.Options) =>
  HttpApiBuilder.layer(TelcoControl).pipe(
    Layer.provide(handlers),
    Layer.provide(TelcoServer.guards(options)),
    Layer.provide(HttpServer.layerServices)
  )

export interface Options {
  readonly host: string
  readonly port: number
  readonly books: DatabaseUrl
  /**
   * The direct address of the books, if `books` is that of a pooler; null if there is none.
   */
  readonly direct: string | null
}

/** A telco that is listening. */
export interface Telco {
  readonly url: string
  readonly books: string
  /** The token for calls, if it was generated, and kept in a file; null if the operator set it. */
  readonly generatedKey: string | null
}

/** The key from the environment, else one that is generated once and kept in `.simplan/`. */
const keyOf = Effect.gen(function* () {
  const set = yield* Settings.telcoKey
  if (set !== null) return { key: set, generatedKey: null }
  const fresh = Credentials.newToken()
  const { telcoKey = fresh } = yield* Credentials.change((kept) => ({ telcoKey: fresh, ...kept }))
  yield* Credentials.writeFiles({ telcoKey })
  return { key: Redacted.make(telcoKey), generatedKey: telcoKey }
})

/** Starts the telco, and returns when it is listening. */
export const start = ({
  books,
  direct,
  host,
  port
}: Options): Effect.Effect<Telco, CommandFailed, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const secretKeys = yield* Settings.secretKeys
    const schema = yield* Settings.schema
    const stores = yield* Stores.open({
      ...{ database: books, databaseDirect: direct, directVariable: Settings.TELCO_BOOKS_DIRECT },
      ...{ schema, secretKeys, keeps: { books: true, journal: false } }
    })
    const { generatedKey, key } = yield* keyOf
    const simulator = yield* Layer.build(TelcoSimulator.layer()).pipe(Effect.provideContext(stores))
    const routes = Layer.merge(TelcoServer.routes({ token: key }), layer({ token: key }))
    const url = yield* TelcoServer.listen(
      { host, port },
      routes.pipe(Layer.provide(Layer.succeedContext(simulator)))
    ).pipe(
      Effect.catchTag("ServeError", ({ cause }) =>
        impossible(
          systemCode(cause) === "EADDRINUSE"
            ? `Port ${port} on ${host} is in use: name another with --port (0 takes any that is free).`
            : `The telco cannot listen on ${host}:${port} (${String(systemCode(cause))}).`
        )
      )
    )
    return { url, books: withoutPassword(books.url), generatedKey }
  })
