/**
 * A pooler may refuse connections that begin with settings it does not know, as PgBouncer does. The adapter then goes
 * without the planner's settings.
 */
import { connect, createServer } from "node:net"
import { Effect } from "effect"
import { expect, it } from "vitest"
import * as Databases from "../../../setup/databases/Databases.ts"
import * as PostgresWorld from "../PostgresWorld.ts"

const refusal = (message: string): Buffer => {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write("E")
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/** Passes connections on to a server, but for those whose first message names the setting. */
const pooler = (server: URL, setting: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly refused: () => number; readonly close: () => void }>((resume) => {
      let refused = 0
      const listening = createServer((client) => {
        client.on("error", () => client.destroy())
        client.once("data", (first) => {
          if (first.includes(setting)) {
            refused++
            client.end(refusal(`unsupported startup parameter: ${setting}`))
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
        resume(Effect.succeed({ url: url.toString(), refused: () => refused, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

it("reads go through a pooler that refuses the planner's settings", () =>
  Effect.gen(function* () {
    const { url } = yield* Databases.scoped()
    const between = yield* pooler(new URL(url), "enable_seqscan")
    const adapter = yield* PostgresWorld.connect(between.url)
    const organization = { organizationId: "org", name: "Behind a pooler", createdAt: 0 }
    yield* PostgresWorld.on(adapter, (storage) => storage.commit({ organizations: [organization] }))
    expect(yield* PostgresWorld.on(adapter, (storage) => storage.organizations.get("org"))).toEqual(organization)
    expect(between.refused()).toBe(1)
  }).pipe(Effect.scoped, Effect.runPromise))
