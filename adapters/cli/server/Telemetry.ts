/**
 * Traces, logs and metrics over OTLP, configured by the standard `OTEL_*` variables. Without an
 * endpoint nothing is sent.
 *
 * Effect's exporter sends them, and secrets are removed first. The defaults are those of the
 * specification, except that there is no default endpoint, and that a stop waits one second for the
 * last batch.
 */
import { ConfigProvider, Effect, Layer } from "effect"
import { FetchHttpClient, type HttpBody } from "effect/http"
import { Otlp, OtlpSerialization } from "effect/observability"
import { type CommandFailed, impossible } from "../output/CommandFailed.ts"
import * as Secrets from "../settings/Secrets.ts"
import * as Version from "../Version.ts"

type Environment = Readonly<Record<string, string>>

const SIGNALS = ["", "TRACES_", "LOGS_", "METRICS_"]
const ENDPOINTS = SIGNALS.map((signal) => `OTEL_EXPORTER_OTLP_${signal}ENDPOINT`)
const HEADERS = SIGNALS.map((signal) => `OTEL_EXPORTER_OTLP_${signal}HEADERS`)

const defaults: Environment = {
  OTEL_TRACES_EXPORTER: "otlp",
  OTEL_LOGS_EXPORTER: "otlp",
  OTEL_METRICS_EXPORTER: "otlp",
  OTEL_SERVICE_VERSION: Version.version,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
  OTEL_EXPORTER_OTLP_TIMEOUT: "1000"
}

/** The variables with the defaults. An empty variable counts as not set. */
const environment = (env: Readonly<Record<string, string | undefined>>): Environment => {
  const given: Environment = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (name.startsWith("OTEL_") && value ? [[name, value]] : []))
  )
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

// The data are JSON values, whatever they are encoded as.
const redacting =
  <A>(write: (data: A) => HttpBody.HttpBody) =>
  (data: A): HttpBody.HttpBody =>
    write(
      JSON.parse(JSON.stringify(data), (_, value: unknown) =>
        typeof value === "string" ? Secrets.redact(value) : value
      )
    )

const redacted = Layer.effect(
  OtlpSerialization.OtlpSerialization,
  Effect.map(OtlpSerialization.OtlpSerialization, ({ logs, metrics, traces }) => ({
    logs: redacting(logs),
    metrics: redacting(metrics),
    traces: redacting(traces)
  }))
)

/** The exporter that the variables configure. It sends the last batch when the scope closes. */
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
        Secrets.registerPassword(env[name] ?? "")
      }
      for (const name of HEADERS) {
        for (const header of (env[name] ?? "").split(",")) {
          Secrets.registerEncoded(header.slice(header.indexOf("=") + 1).trim())
        }
      }
      const protocol = env.OTEL_EXPORTER_OTLP_PROTOCOL
      if (!isProtocol(protocol)) {
        return yield* impossible("OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json.")
      }
      // An invalid variable is a defect of the exporter, whose message may contain a header.
      return Otlp.layerFromConfig().pipe(
        Layer.provide([redacted.pipe(Layer.provide(serializations[protocol])), FetchHttpClient.layer]),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))),
        Layer.catchCause(() =>
          Layer.effectDiscard(impossible("An OTEL_* variable has a value that cannot be read; see the specification."))
        )
      )
    })
  )
