/**
 * Traces, logs and metrics over OTLP, where the usual `OTEL_*` variables ask for it: without an endpoint there is none.
 *
 * Effect's exporter does the work, and secrets are blotted out of all that it sends. What the specification leaves at
 * its default is at its default, but for the endpoint, and that stopping waits a second for the last batch.
 */
import { ConfigProvider, Effect, Layer } from "effect"
import { FetchHttpClient, type HttpBody } from "effect/http"
import { Otlp, OtlpSerialization } from "effect/observability"
import { type CommandFailed, impossible } from "../output/CommandFailed.ts"
import * as Secrets from "../settings/Secrets.ts"
import * as Version from "../Version.ts"

type Environment = Readonly<Record<string, string>>

const ENDPOINTS = ["", "TRACES_", "LOGS_", "METRICS_"].map((signal) => `OTEL_EXPORTER_OTLP_${signal}ENDPOINT`)
const HEADERS = ["", "TRACES_", "LOGS_", "METRICS_"].map((signal) => `OTEL_EXPORTER_OTLP_${signal}HEADERS`)

const defaults: Environment = {
  OTEL_TRACES_EXPORTER: "otlp",
  OTEL_LOGS_EXPORTER: "otlp",
  OTEL_METRICS_EXPORTER: "otlp",
  OTEL_SERVICE_VERSION: Version.version,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
  OTEL_EXPORTER_OTLP_TIMEOUT: "1000"
}

/** The variables that are set, and those that have a default. An empty one counts as not set. */
const environment = (env: Readonly<Record<string, string | undefined>>): Environment => {
  const given: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith("OTEL_") && value !== undefined && value !== "") given[name] = value
  }
  const isNamed = /(^|,)\s*service\.name=/.test(given.OTEL_RESOURCE_ATTRIBUTES ?? "")
  return { ...defaults, ...(isNamed ? {} : { OTEL_SERVICE_NAME: "simplan" }), ...given }
}

const serializations = {
  "http/protobuf": OtlpSerialization.layerProtobuf,
  "http/json": OtlpSerialization.layerJson
}

const isProtocol = (text: string | undefined): text is keyof typeof serializations =>
  text !== undefined && Object.hasOwn(serializations, text)

const isEndpoint = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

// What is sent is JSON, or could be.
const blotting =
  <A>(write: (data: A) => HttpBody.HttpBody) =>
  (data: A): HttpBody.HttpBody =>
    write(
      JSON.parse(JSON.stringify(data), (_, value: unknown) =>
        typeof value === "string" ? Secrets.without(value) : value
      )
    )

const blotted = Layer.effect(
  OtlpSerialization.OtlpSerialization,
  Effect.map(OtlpSerialization.OtlpSerialization, ({ logs, metrics, traces }) => ({
    logs: blotting(logs),
    metrics: blotting(metrics),
    traces: blotting(traces)
  }))
)

/** What is sent where, by the variables of the environment. Its last batch is sent when the scope ends. */
export const layer = (
  variables: Readonly<Record<string, string | undefined>> = process.env
): Layer.Layer<never, CommandFailed> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const env = environment(variables)
      const set = ENDPOINTS.filter((name) => env[name] !== undefined)
      if (set.length === 0) return Layer.empty
      for (const name of set) {
        if (!isEndpoint(env[name] ?? "")) {
          return yield* impossible(`${name} must be a URL that begins with http:// or https://.`)
        }
        Secrets.knowPassword(env[name] ?? "")
      }
      for (const name of HEADERS) {
        for (const header of (env[name] ?? "").split(",")) {
          Secrets.knowEncoded(header.slice(header.indexOf("=") + 1).trim())
        }
      }
      const protocol = env.OTEL_EXPORTER_OTLP_PROTOCOL
      if (!isProtocol(protocol)) {
        return yield* impossible("OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json.")
      }
      // What the exporter cannot read it dies of, and the reason may hold a header.
      return Otlp.layerFromConfig().pipe(
        Layer.provide([blotted.pipe(Layer.provide(serializations[protocol])), FetchHttpClient.layer]),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))),
        Layer.catchCause(() =>
          Layer.effectDiscard(impossible("An OTEL_* variable has a value that cannot be read; see the specification."))
        )
      )
    })
  )
