/**
 * The telcos of the settings file (`SIMPLAN_TELCO_FILE`).
 *
 * The module `telco-routes` is loaded when there is such a file, so that no other server loads the
 * adapters of real telcos.
 */
import { Effect, Redacted } from "effect"
import type { Settings as TelcoSettings } from "../../telco-routes/index.ts"
import { impossible, sentence } from "../output/CommandFailed.ts"
import type { ClockSetting } from "../settings/Texts.ts"
import { TELCO_TOKEN } from "../settings/Definitions.ts"
import * as Secrets from "../settings/Secrets.ts"

export const module = Effect.promise(() => import("../../telco-routes/index.ts"))

/** The secrets of a telco's settings, whatever its kind. */
const secretsOf = (telco: TelcoSettings.Telco): ReadonlyArray<string> =>
  Object.values(telco).flatMap((value: unknown) => {
    if (!Redacted.isRedacted(value)) return []
    const secret: unknown = Redacted.value(value)
    return typeof secret === "string" ? [secret] : []
  })

/**
 * Registers the secrets, so that they are never written; of a key or a certificate each line too.
 */
const register = (telcos: ReadonlyArray<TelcoSettings.Telco>): void => {
  for (const secret of telcos.flatMap(secretsOf)) {
    Secrets.register(secret)
    const lines = secret.split(/\r?\n/)
    if (lines.length > 1) for (const line of lines.filter((one) => !one.startsWith("-----"))) Secrets.register(line)
  }
}

/** The settings in a file, with its secrets registered. */
export const settings = Effect.fnUntraced(function* (path: string, clock: ClockSetting) {
  const { TelcoFile } = yield* module
  const read = yield* Effect.mapError(TelcoFile.read(path, { isVirtual: clock._tag === "Virtual" }), ({ message }) =>
    impossible(message)
  )
  register(read.telcos)
  return read
})

/**
 * The charging systems in a file. Each reads and registers its token when its settings are asked
 * for, and no other secret.
 */
export const systems = Effect.fnUntraced(function* (path: string) {
  const { TelcoFile } = yield* module
  const bad = ({ message }: { readonly message: string }) => impossible(message)
  const { routes, systems } = yield* Effect.mapError(TelcoFile.systems(path), bad)
  const registering = systems.map(({ name, settings, zones }) => ({
    name,
    zones,
    settings: Effect.tap(Effect.mapError(settings, bad), (telco) => Effect.sync(() => register([telco])))
  }))
  return { routes, systems: registering }
})

/** What is wrong if telcos share the server's token for their reports; null: none do. */
export const sharingOf = (of: TelcoSettings.Settings) =>
  Effect.map(module, ({ TelcoFile }) => {
    const names = TelcoFile.sharing(of)
    const shared = `the token of ${TELCO_TOKEN} speaks for all of ${names.join(", ")}: give each a token in its field reports`
    return names.length === 0 ? null : { names, message: shared }
  })

const warnOfSharing = (of: TelcoSettings.Settings) =>
  Effect.flatMap(sharingOf(of), (shared) =>
    shared === null ? Effect.void : Effect.logWarning(`In the telcos' file ${shared.message}`)
  )

/** Reads the file. Fails with a sentence for each mistake in it. */
export const read = Effect.fnUntraced(function* (path: string, clock: ClockSetting) {
  const found = yield* settings(path, clock)
  const { Routes, Routing } = yield* module
  const simulators = new Set(found.telcos.flatMap(({ kind, name }) => (kind === "simulator" ? [name] : [])))
  return {
    /** The port; it is connected when it is built. */
    layer: Routes.layer(found),
    /** What a server is to find before it begins. */
    check: Routes.check,
    /** The connected telcos by name. */
    connected: Effect.map(Routes.Routes, ({ telcos }) => telcos),
    /** What runs beside the services. */
    background: Routes.background,
    /**
     * Reads the file again, and takes what it says now. If that is wrong, the log says why, and
     * all stays as it was.
     */
    reload: Effect.gen(function* () {
      const next = yield* settings(path, clock)
      yield* Routes.Routes.use(({ replace }) => replace(next))
      const names = next.telcos.map(({ kind, name }) => `${name} (${kind})`).join(", ")
      yield* warnOfSharing(next)
      yield* Effect.logInfo(`The telcos' file was read again, and is in force: ${names}.`)
    }).pipe(
      // Failure: the operator, by the log; the telcos stay as they were.
      Effect.catch(({ message }) =>
        Effect.logError(
          `The telcos' file was read again and not taken; the telcos stay as they were: ${sentence(message)}`
        )
      )
    ),
    /** How long a call of the port has to be given. */
    leastTimeoutMillis: Routes.leastTimeoutMillis(found),
    /** Whether such a SIM's packages are at a simulator. */
    isSimulated: (sim: Parameters<typeof Routing.find>[1]): boolean => {
      const route = Routing.find(found.routes, sim)
      return route !== undefined && simulators.has(route.telcos.packages)
    },
    /** Says so if several telcos share the server's token for their reports. */
    warnOfSharing: warnOfSharing(found),
    /** The names of the simulators among them. */
    simulators: [...simulators],
    /** For the greeting. */
    names: found.telcos.map(({ kind, name }) => `${name} (${kind})`).join(", ")
  }
})

export type Telcos = Effect.Success<ReturnType<typeof read>>
