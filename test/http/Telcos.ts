/**
 * Telcos that the API serves: `x` of the kind ocs, `y` of the kind es2plus and the supplier `z`,
 * whose secret is `x`.
 */
import { Effect, Redacted } from "effect"
import type { Routes } from "../../adapters/http/index.ts"

type Telcos = NonNullable<Routes.Options["telcos"]>
type Telco = Telcos extends ReadonlyMap<string, infer T> ? T : never
type Zone = Parameters<NonNullable<Telco["zones"]>["set"]>[0]

/** With the bodies that were taken. */
export const make = (secret = "x") => {
  const taken: Array<unknown> = []
  const called: Array<string> = []
  const zones: Array<Zone> = []
  let last: { requestedAt: number; compared: number; unanswered: number; doneAt: number | null } | null = null
  const comparison: NonNullable<Telco["comparison"]> = {
    begin: Effect.sync(() => (last = { requestedAt: Date.UTC(2026, 0, 10), compared: 0, unanswered: 0, doneAt: null })),
    progress: Effect.sync(() => last && { ...last, compared: 3, doneAt: Date.UTC(2026, 0, 11) })
  }
  const telco = (kind: string, answer: { readonly status: number; readonly body: unknown }): Telco => ({
    kind,
    zones:
      kind === "ocs"
        ? {
            set: (zone, record) =>
              Effect.andThen(
                Effect.sync(() => void zones.push(zone)),
                record
              ),
            list: Effect.sync(() => zones)
          }
        : null,
    ...(kind === "ocs" && { comparison }),
    notifications: {
      secret: Redacted.make(secret),
      take: (body) =>
        Effect.sync(() => {
          taken.push(body)
          return answer
        })
    }
  })
  const supplier: Telco = {
    kind: "esim-go",
    notifications: null,
    callbacks: {
      secret: Redacted.make(secret),
      take: (body) => Effect.sync(() => void called.push(body))
    }
  }
  const telcos: Telcos = new Map([
    ["x", telco("ocs", { status: 200, body: { result: { code: 0, msg: "OK" } } })],
    ["y", telco("es2plus", { status: 204, body: null })],
    ["z", supplier]
  ])
  return { called, taken, telcos, zones }
}
