/**
 * A pooler may refuse connections that begin with settings it does not know, as PgBouncer does. The
 * adapter then goes without the planner's settings.
 */
import { connect, createServer } from "node:net"
import { Effect } from "effect"
import { expect, it } from "vitest"
import * as Databases from "../../../setup/databases/Databases.ts"
import * as PostgresWorld from "../PostgresWorld.ts"

const refusal = (code: string, message: string): Buffer => {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write("E")
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/**
 * Passes connections on to a server, but for those whose first message names the setting: `answer`
 * refuses some of them.
 */
const pooler = (server: URL, setting: string, answer: (times: number) => string | null) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly named: () => number; readonly close: () => void }>((resume) => {
      let named = 0
      const listening = createServer((client) => {
        client.on("error", () => client.destroy())
        client.once("data", (first) => {
          const code = first.includes(setting) ? answer(++named) : null
          if (code !== null) {
            client.end(refusal(code, "The pooler refuses"))
            return
          }
          const upstream = connect(Number(server.port), server.hostname).on("error", () => client.destroy())
          client.once("close", () => upstream.destroy())
          upstream.write(first)
          client.pipe(upstream).pipe(client)
        })
      })
      listening.listen(0, "127.0.0.1", () => {
        const address = listening.address()
        const url = new URL(server)
        url.port = String(typeof address === "object" ? address?.port : "")
        const close = (): void => void listening.close()
        resume(Effect.succeed({ url: url.toString(), named: () => named, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

/**
 * How often connections named the setting: when the adapter had started, and when it had read
 * twice.
 */
const namedBy = (answer: (times: number) => string | null) =>
  Effect.gen(function* () {
    const { url } = yield* Databases.scoped()
    const between = yield* pooler(new URL(url), "enable_seqscan", answer)
    const adapter = yield* PostgresWorld.connect(between.url)
    const started = between.named()
    const organization = { organizationId: "org", name: "Behind a pooler", createdAt: 0 }
    yield* PostgresWorld.on(adapter, (storage) => storage.commit({ organizations: [organization] }))
    const found = PostgresWorld.on(adapter, (storage) => storage.organizations.get("org"))
    expect([yield* found, yield* found]).toEqual([organization, organization])
    return [started, between.named()]
  }).pipe(Effect.scoped, Effect.runPromise)

it("reads go without the planner's settings where a pooler refuses these", async () => {
  expect(await namedBy(() => "08P01")).toEqual([1, 1])
})

it("reads have the planner's settings where a pooler takes them, and where it first has no connection to spare", async () => {
  expect(await namedBy(() => null)).toEqual([1, 2])
  expect(await namedBy((times) => (times === 1 ? "53300" : null))).toEqual([1, 2])
})
