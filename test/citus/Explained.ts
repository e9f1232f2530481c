/**
 * How the extension carries out a statement, as its `EXPLAIN` says it.
 */
import { Effect } from "effect"
import pg from "pg"

/**
 * `local`: on the first server alone. `router`: one task on the server of one organization.
 * `tasks`: several of these, one after another, as a commit with insertions has. `servers`: tasks
 * on all servers.
 */
export type Way = "local" | "router" | "tasks" | "servers"

/** Of the text of an `EXPLAIN`. */
export const wayOf = (plan: string): Way => {
  if (!plan.includes("Custom Scan (Citus")) return "local"
  const counts = Array.from(plan.matchAll(/Task Count: (\d+)/g), ([, count]) => Number(count))
  if (counts.some((count) => count > 1)) return "servers"
  return plan.includes("Distributed Subplan") ? "tasks" : "router"
}

/** A statement with the values that it was sent with. */
export interface Sent {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

const EXPLAINED = /^\s*(?:with|select|insert|update|delete)\b/i

/** A pool of `pg` that says what is sent over it. */
export class RecordingPool extends pg.Pool {
  readonly sent: Array<Sent> = []

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Parameters<pg.Pool["connect"]>[0]): void
  override connect(callback?: Parameters<pg.Pool["connect"]>[0]): Promise<pg.PoolClient> | undefined {
    if (callback !== undefined) {
      super.connect(callback)
      return undefined
    }
    return super.connect().then((client) => {
      const query = client.query.bind(client)
      const sent = this.sent
      return new Proxy(client, {
        get: (target, name) => {
          if (name !== "query") return Reflect.get(target, name, target)
          return (...asked: Parameters<typeof query>) => {
            const [of] = asked
            const text: unknown = typeof of === "object" ? Reflect.get(of, "text") : of
            const values: unknown = typeof of === "object" ? Reflect.get(of, "values") : []
            if (typeof text === "string" && EXPLAINED.test(text)) {
              sent.push({ text, values: Array.isArray(values) ? values : [] })
            }
            return query(...asked)
          }
        }
      })
    })
  }
}

/** The way, or what the extension refuses the statement with. */
export const explain = (pool: pg.Pool, { text, values }: Sent): Effect.Effect<Way | { readonly refused: string }> =>
  Effect.promise(async () => {
    try {
      const { rows } = await pool.query({ text: `explain (costs off) ${text}`, values: [...values] })
      return wayOf(rows.map((row) => String(row["QUERY PLAN"])).join("\n"))
    } catch (error) {
      return { refused: String(error) }
    }
  })
