/**
 * When a server says that it is ready: not before the files are there that its user's commands
 * read.
 */
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import { existsSync } from "node:fs"
import { createServer } from "node:net"
import { ConfigProvider, Effect, FileSystem, Layer } from "effect"
import { expect, it } from "vitest"
import * as Credentials from "../../../adapters/cli/settings/Credentials.ts"
import * as Server from "../../../adapters/cli/server/Server.ts"
import * as Settings from "../../../adapters/cli/settings/Settings.ts"
import { inNewDirectory } from "../Terminal.ts"

inNewDirectory()

const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

const status = (url: string) => Effect.promise(async () => (await fetch(url)).status)

it("is not ready while it listens and the key of the demonstration is not written", () =>
  Effect.gen(function* () {
    const port = yield* freePort
    const url = `http://127.0.0.1:${port}`
    const key = Credentials.fileOf("demoKey")
    const found: Array<ReadonlyArray<number>> = []
    const files = yield* FileSystem.FileSystem
    const watched = FileSystem.FileSystem.of({
      ...files,
      rename: (from, to) =>
        Effect.andThen(
          to === key
            ? Effect.map(Effect.all([status(`${url}/healthz`), status(`${url}/readyz`)]), (both) => found.push(both))
            : Effect.void,
          files.rename(from, to)
        )
    })
    const env = { SIMPLAN_DATABASE_URL: "memory:", SIMPLAN_PORT: String(port) }
    const settings = yield* Effect.provide(Settings.read, ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)))
    yield* Effect.provideService(Server.start(settings), FileSystem.FileSystem, watched)
    expect(found).toEqual([[200, 503]])
    expect(existsSync(key)).toBe(true)
    expect(yield* status(`${url}/readyz`)).toBe(200)
  }).pipe(Effect.scoped, Effect.provide(Layer.fresh(NodeFileSystem.layer)), Effect.runPromise))
