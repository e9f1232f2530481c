/**
 * Reads the telcos of a settings file: each by the schema of its kind, with its defaults and its secrets. A secret is the
 * content of a file, whose path is relative to the settings file, or a variable of the environment; no message contains it.
 */
import { Redacted, Result } from "effect"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import type { JsonLines } from "../../json-lines/index.ts"
import * as Mistakes from "./Mistakes.ts"
import type * as Settings from "./Settings.ts"
import * as Shape from "./Shape.ts"

/** Where secrets are read from. */
export interface Places {
  /** The folder of the settings file. */
  readonly directory: string
  /** The variables of the environment. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The code of an error of the file system. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unreadable"

const content = (path: string): Result.Result<string, string> =>
  Result.try({ try: () => readFileSync(path, "utf8"), catch: codeOf })

/** The secret, without white space around it; the failure ends a sentence that begins with the field. */
const readSecret = (secret: Shape.Secret, { directory, env }: Places): Result.Result<Redacted.Redacted, string> => {
  if ("env" in secret) {
    const value = env[secret.env]?.trim() ?? ""
    return value === ""
      ? Result.fail(`names the environment variable ${secret.env}, which is not set or empty`)
      : Result.succeed(Redacted.make(value))
  }
  const path = resolve(directory, secret.file)
  const text = content(path)
  if (Result.isFailure(text)) return Result.fail(`names the file ${path}, which cannot be read (${text.failure})`)
  const value = text.success.trim()
  return value === "" ? Result.fail(`names the file ${path}, which is empty`) : Result.succeed(Redacted.make(value))
}

const decoders = {
  ocs: Mistakes.decoder(Shape.Ocs),
  es2plus: Mistakes.decoder(Shape.Es2plus),
  smpp: Mistakes.decoder(Shape.Smpp),
  simulator: Mistakes.decoder(Shape.Simulator),
  http: Mistakes.decoder(Shape.Http)
}

const DEFAULT_TIMEOUT = "10s"
/** A message has several segments, each with an answer of its own. */
const SMPP_TIMEOUT = "5s"
const DEFAULT_CALLS = 16

const millis = (span: string): number => Shape.parseSpan(span) ?? Number.NaN

const trimmed = (url: string): string => url.replace(/\/+$/, "")

/** What every kind has. */
const common = (
  name: string,
  {
    calls_at_once = DEFAULT_CALLS,
    timeout = DEFAULT_TIMEOUT
  }: { readonly calls_at_once?: number; readonly timeout?: string }
) => ({ name, callsAtOnce: calls_at_once, timeoutMillis: millis(timeout) })

/** A charging system for those who only call it: it takes no notifications. */
export interface System {
  readonly name: string
  /** Location zones by label and region code. */
  readonly zones: Settings.Ocs["zones"]
  readonly settings: () => Mistakes.Found<Settings.Ocs>
}

/** How many characters a secret has at least that opens the API, as a token of the server has. */
const LEAST_SECRET = 16

/** Reads the settings of one telco, at its path in the file. */
const reading = (places: Places, name: string) => {
  const at = (...fields: ReadonlyArray<string>): JsonLines.Path => ["telcos", name, ...fields]
  const secret = (of: Shape.Secret, ...fields: ReadonlyArray<string>): Mistakes.Found<Redacted.Redacted> =>
    Result.mapError(readSecret(of, places), (message) => [{ path: at(...fields), message }])
  const optional = (of: Shape.Secret | undefined, ...fields: ReadonlyArray<string>) =>
    of === undefined ? Result.succeed(null) : secret(of, ...fields)
  /**
   * The secret of notifications. It is part of a path, so it has only characters that a path keeps. It is the only thing
   * that a sender has to know, so it is long.
   */
  const notification = (of: { readonly secret: Shape.Secret } | undefined): Mistakes.Found<Redacted.Redacted | null> =>
    Result.flatMap(optional(of?.secret, "notifications", "secret"), (found) => {
      if (found === null) return Result.succeed(found)
      const place = at("notifications", "secret")
      if (!/^[^\s/?#%;\\]+$/.test(Redacted.value(found)))
        return Mistakes.wrong(
          place,
          "names a secret with white space or one of / ? # % ; in it, which a path cannot have"
        )
      return Redacted.value(found).length < LEAST_SECRET
        ? Mistakes.wrong(place, `names a secret of less than ${LEAST_SECRET} characters, which can be guessed`)
        : Result.succeed(found)
    })

  const ocs = (of: typeof Shape.Ocs.Type): Mistakes.Found<Settings.Ocs> =>
    Result.gen(function* () {
      const fastestMillis = millis(of.poll?.fastest ?? "10s")
      const slowestMillis = millis(of.poll?.slowest ?? "6h")
      if (slowestMillis < fastestMillis)
        return yield* Mistakes.wrong(at("poll"), "must have a slowest that is not below its fastest")
      const shared = common(name, of)
      const watchMillis = millis(of.watch ?? "15m")
      if (watchMillis <= shared.timeoutMillis)
        return yield* Mistakes.wrong(at("watch"), "must be longer than timeout, in which a call is waited for")
      const url = trimmed(of.url)
      const urlV2 = of.url_v2 === undefined && /\/v1$/.test(url) ? url.replace(/1$/, "2") : of.url_v2
      if (urlV2 === undefined)
        return yield* Mistakes.wrong(at("url_v2"), "is required, because url does not end with /v1")
      const [token, notificationSecret] = yield* Mistakes.both(
        secret(of.token, "token"),
        notification(of.notifications)
      )
      return {
        ...shared,
        kind: of.kind,
        url,
        urlV2: trimmed(urlV2),
        token,
        resellerId: of.reseller_id,
        zones: of.zones ?? {},
        mobilePlanId: of.mobile_plan_id ?? null,
        timeZone: of.time_zone ?? "UTC",
        notificationSecret,
        notifiedThresholds: notificationSecret === null ? [] : (of.notifications?.thresholds ?? [50, 80]),
        callsPerSecond: of.calls_per_second ?? 20,
        watchMillis,
        poll: { fastestMillis, slowestMillis }
      }
    })

  const es2plus = (of: typeof Shape.Es2plus.Type): Mistakes.Found<Settings.Telco> =>
    Result.gen(function* () {
      if ((of.key === undefined) !== (of.certificate === undefined)) {
        return yield* Mistakes.wrong(at(), "must have both key and certificate, or none of them")
      }
      const [[key, certificate], [ca, notificationSecret]] = yield* Mistakes.both(
        Mistakes.both(optional(of.key, "key"), optional(of.certificate, "certificate")),
        Mistakes.both(optional(of.ca, "ca"), notification(of.notifications))
      )
      return {
        ...common(name, of),
        kind: of.kind,
        url: trimmed(of.url),
        key,
        certificate,
        ca,
        requester: of.requester ?? null,
        version: of.version ?? null,
        confirmReleases: of.confirm_releases ?? true,
        states: of.states ?? {},
        timeZone: of.time_zone ?? "UTC",
        notificationSecret
      }
    })

  const smpp = (of: typeof Shape.Smpp.Type): Mistakes.Found<Settings.Telco> =>
    Result.map(Mistakes.both(secret(of.password, "password"), optional(of.ca, "ca")), ([password, ca]) => ({
      ...common(name, { timeout: SMPP_TIMEOUT, ...of }),
      kind: of.kind,
      url: of.url,
      password,
      ca,
      systemType: of.system_type ?? "",
      alphabet: of.alphabet ?? "gsm",
      source: of.source ?? {},
      address: of.address ?? null,
      messagesPerSecond: of.messages_per_second ?? null
    }))

  const http = (of: typeof Shape.Http.Type): Mistakes.Found<Settings.Telco> =>
    Result.map(secret(of.key, "key"), (key) => ({ ...common(name, of), kind: of.kind, url: trimmed(of.url), key }))

  /** Its token is read when it is asked for, and its other secrets are not. */
  const system = (value: unknown): Mistakes.Found<System> =>
    Result.map(decoders.ocs(value, at()), ({ notifications: _, ...of }) => ({
      name,
      zones: of.zones ?? {},
      settings: () => ocs(of)
    }))

  const telco = (value: unknown): Mistakes.Found<Settings.Telco> => {
    if (!Shape.isName(name)) return Mistakes.wrong(at(), Shape.NAMES)
    if (typeof value !== "object" || value === null) return Mistakes.wrong(at(), "must be an object with kind")
    const kind: unknown = "kind" in value ? value.kind : undefined
    if (!Shape.isKind(kind)) return Mistakes.wrong(at("kind"), `must be one of ${Object.keys(Shape.kinds).join(", ")}`)
    switch (kind) {
      case "ocs":
        return Result.flatMap(decoders.ocs(value, at()), ocs)
      case "es2plus":
        return Result.flatMap(decoders.es2plus(value, at()), es2plus)
      case "smpp":
        return Result.flatMap(decoders.smpp(value, at()), smpp)
      case "simulator":
        return Result.map(decoders.simulator(value, at()), (of) => ({ ...common(name, {}), kind: of.kind }))
      case "http":
        return Result.flatMap(decoders.http(value, at()), http)
    }
  }
  return { system, telco }
}

/** Reads the settings of all telcos. */
export const read = (
  telcos: Readonly<Record<string, unknown>>,
  places: Places
): Mistakes.Found<ReadonlyArray<Settings.Telco>> =>
  Mistakes.all(Object.entries(telcos).map(([name, telco]) => reading(places, name).telco(telco)))

const isSystem = (telco: unknown): boolean =>
  typeof telco === "object" && telco !== null && "kind" in telco && telco.kind === "ocs"

/** Reads the charging systems alone. */
export const systems = (
  telcos: Readonly<Record<string, unknown>>,
  places: Places
): Mistakes.Found<ReadonlyArray<System>> =>
  Mistakes.all(
    Object.entries(telcos).flatMap(([name, telco]) => (isSystem(telco) ? [reading(places, name).system(telco)] : []))
  )
