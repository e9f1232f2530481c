import { Effect, Layer, Logger, Metric } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Secrets from "../../../adapters/cli/settings/Secrets.ts"
import * as Telemetry from "../../../adapters/cli/server/Telemetry.ts"
import * as Collector from "./Collector.ts"

let collector: Collector.Collector
beforeEach(async () => {
  collector = await Collector.start()
})
afterEach(() => collector.close())

const SECRET = "top-secret-token"

/** Does some work under the configured telemetry; returns the log. */
const work = async (variables: Readonly<Record<string, string>>): Promise<ReadonlyArray<string>> => {
  const logged: Array<string> = []
  const beside = Logger.layer([Logger.map(Logger.formatSimple, (line) => logged.push(line))])
  Secrets.register(SECRET)
  await Effect.runPromise(
    Effect.logInfo(`called with ${SECRET}`, { inner: SECRET }).pipe(
      Effect.andThen(Effect.annotateCurrentSpan("token", SECRET)),
      Effect.andThen(Metric.update(Metric.counter("telemetry_test_total", { attributes: { of: SECRET } }), 1)),
      Effect.withSpan("some work"),
      Effect.provide(Layer.provideMerge(Telemetry.layer(variables), beside))
    )
  )
  return logged
}

const paths = (): ReadonlyArray<string> => [...new Set(collector.received.map(({ path }) => path))].sort()

describe("OTEL_* variables", () => {
  it("send traces, logs and metrics as protobuf to the endpoint, and keep the log", async () => {
    const logged = await work({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    expect(paths()).toEqual(["/v1/logs", "/v1/metrics", "/v1/traces"])
    expect(new Set(collector.received.map(({ type }) => type))).toEqual(new Set(["application/x-protobuf"]))
    const texts = collector.received.map(({ body }) => body).join()
    for (const text of ["some work", "called with ***", "telemetry_test_total", "simplan"])
      expect(texts).toContain(text)
    expect(texts).not.toContain(SECRET)
    expect(logged.join()).toContain("called with")
  })

  it("name the service and its resource, and the headers to send", async () => {
    await work({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: "x-vendor-key=abc%20def,x-other=1",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=mine,deployment.environment=test"
    })
    expect(collector.received[0]?.headers).toMatchObject({ "x-vendor-key": "abc def", "x-other": "1" })
    const attributes = collector.all("/v1/traces", "resourceSpans")[0]?.resource
    expect(attributes).toMatchObject({
      attributes: expect.arrayContaining([
        { key: "service.name", value: { stringValue: "mine" } },
        { key: "deployment.environment", value: { stringValue: "test" } }
      ])
    })
    expect(collector.all("/v1/traces", "spans")).toMatchObject([
      { name: "some work", attributes: [{ key: "token", value: { stringValue: "***" } }] }
    ])
    expect(collector.all("/v1/logs", "logRecords")).toMatchObject([{ severityText: "Info" }])
  })

  it("switch off all, or one kind", async () => {
    await work({ OTEL_SERVICE_NAME: "nowhere to send it" })
    await work({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SDK_DISABLED: "true" })
    expect(paths()).toEqual([])
    await work({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRICS_EXPORTER: "none",
      OTEL_LOGS_EXPORTER: "none"
    })
    expect(paths()).toEqual(["/v1/traces"])
  })

  it("that are invalid are reported in a sentence without their values", async () => {
    const refused = (variables: Readonly<Record<string, string>>) =>
      Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(Telemetry.layer(variables)))))
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    for (const [variables, sentence] of [
      [{ OTEL_EXPORTER_OTLP_ENDPOINT: SECRET }, /^OTEL_EXPORTER_OTLP_ENDPOINT must be a URL/],
      [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /^OTEL_EXPORTER_OTLP_PROTOCOL must be http\/protobuf or/],
      [{ ...endpoint, OTEL_SDK_DISABLED: SECRET }, /^An OTEL_\* variable has a value that cannot be read/]
    ] as const) {
      const { message } = await refused(variables)
      expect(message).toMatch(sentence)
      expect(message).not.toContain(SECRET)
    }
  })
})
