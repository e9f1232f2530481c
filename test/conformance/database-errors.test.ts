/**
 * What a host can get wrong about its database: each mistake fails the layer within 5 s, with one
 * sentence that names the argument and shows no password.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Layer, Redacted } from "effect"
import * as Pglite from "simplan/pglite"
import { Storage } from "simplan/ports"
import * as Postgres from "simplan/postgres"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import * as DataDirectory from "../../adapters/pglite/DataDirectory.ts"
import * as Databases from "../setup/databases/Databases.ts"

/** What takes longer hangs: a slow machine may take a part of it. In milliseconds. */
const LIMIT = 60_000

const PASSWORD = "hunter2-secret"

/** The sentence with which a layer fails. */
const failure = async (build: () => Layer.Layer<Postgres.Provided, Storage.StorageError>): Promise<string> => {
  const begun = performance.now()
  const exit = await Effect.runPromiseExit(Effect.flip(Effect.scoped(Layer.build(Layer.suspend(build)))))
  expect(performance.now() - begun).toBeLessThan(LIMIT)
  if (Exit.isFailure(exit)) throw new Error(`The layer did not fail with an error: ${exit}`)
  expect(exit.value).toBeInstanceOf(Storage.StorageError)
  const { message } = exit.value
  expect(message).not.toMatch(/\n|\. [A-Z]/)
  expect(`${message} ${JSON.stringify(exit.value)}`).not.toContain(PASSWORD)
  return message
}

/** As a caller without types can. */
const postgres = (options: object): Promise<string> =>
  failure(() => Reflect.apply(Postgres.layer, undefined, [options]))

const pglite = (options: object): Promise<string> => failure(() => Reflect.apply(Pglite.layer, undefined, [options]))

const ofAnotherCopy = (mark: string | symbol): object => ({ [mark]: {}, toString: () => "<redacted>" })

describe("Postgres.layer with a url that is none", () => {
  const wrong: ReadonlyArray<readonly [string, unknown, RegExp]> = [
    ["nothing", undefined, /^url is missing, but must be a URL such as postgres:/],
    ["null", null, /^url is null/],
    ["a number", 5432, /^url is a number/],
    ["an object", { host: "127.0.0.1", password: PASSWORD }, /^url is an object/],
    ["an empty text", "", /^url is empty/],
    ["a text that is no URL", `me:${PASSWORD}@localhost`, /^url begins with "me:"/],
    ["a text that cannot be parsed", `postgres://me:${PASSWORD}#@h/d?/`, /^url cannot be read as a URL/],
    ["another protocol", `mysql://me:${PASSWORD}@localhost/d`, /^url begins with "mysql:"/],
    ["a port that is none", `postgres://me:${PASSWORD}@localhost:99999/d`, /^url cannot be read as a URL/],
    ["port 0", `postgres://me:${PASSWORD}@localhost:0/d`, /^url has the port 0/],
    ["a lonely %", `postgres://me:${PASSWORD}@localhost/100%`, /^url has a % that/],
    ["one wrong host of two", `postgres://me:${PASSWORD}@a:1,b:x/d`, /^url cannot be read/],
    ["a Redacted of another copy of Effect 4", ofAnotherCopy("~effect/Redacted"), /^url is a Redacted that this copy/],
    ["a Redacted of Effect 3", ofAnotherCopy(Symbol.for("effect/Redacted")), /^url is a Redacted that this copy/],
    ["a Redacted number", Redacted.make(1), /^url is a Redacted that this copy/],
    ["a wrong sslmode", `postgres://me:${PASSWORD}@127.0.0.1:1/d?sslmode=maybe`, /Unrecognized sslmode/]
  ]
  it.each(wrong)("%s", async (_, url, sentence) => expect(await postgres({ url })).toMatch(sentence))
})

describe("Postgres.layer with a wrong option", () => {
  const url = "postgres://127.0.0.1:1/d"
  const wrong: ReadonlyArray<readonly [string, object, RegExp]> = [
    ["maxConnections", { maxConnections: 0 }, /^maxConnections is 0, but must be a whole number from 1 to 1000$/],
    ["maxConnections", { maxConnections: "10" }, /^maxConnections is "10"/],
    ["alone", { alone: "yes" }, /^alone is "yes", but must be true or false$/],
    ["waitLimit", { waitLimit: "soon" }, /^waitLimit is "soon", but must be a time from 1 second to 1 hour$/],
    ["waitLimit", { waitLimit: 10 }, /^waitLimit is 10/],
    ["fastPaths", { fastPaths: { batched: true } }, /^fastPaths have an option "batched", but may only have /],
    ["fastPaths", { fastPaths: { batchedReads: 1 } }, /^fastPaths.batchedReads is 1/],
    ["schema", { schema: "Mine" }, /^schema is "Mine", but must be a name of 1 to 63 lower-case letters/],
    ["schema", { schema: "a".repeat(64) }, /^schema is "a+", but must be/],
    ["schema", { schema: 'a"; drop table b' }, /^schema is "a.*, but must be/],
    ["schema", { schema: "pg_mine" }, /^schema is "pg_mine"/],
    ["schema", { schema: "1a" }, /^schema is "1a"/],
    ["schema", { schema: 1 }, /^schema is 1/],
    ["secretKeys", { secretKeys: ofAnotherCopy("~effect/Redacted") }, /^secretKeys is a Redacted that/],
    ["secretKeys that are none", { secretKeys: "short" }, /^The secret key must be 32 bytes/],
    ["an option that is none", { maxConections: 3 }, /^The options of Postgres.layer have an option "maxConections"/]
  ]
  it.each(wrong)("%s", async (_, options, sentence) => {
    expect(await postgres({ url, ...options })).toMatch(sentence)
  })

  it("a text with a password where it does not belong", async () => {
    const url = `postgres://me:${PASSWORD}@localhost/d`
    const texts = [url, `host=localhost password=${PASSWORD}`, `me:${PASSWORD}@localhost`]
    for (const text of texts) {
      for (const options of [{ pool: text }, { client: text }, { url: "postgres://h/d", maxConnections: text }]) {
        expect(await postgres(options)).toMatch(/^(pool|client|maxConnections) is a text, but must be/)
      }
      const layer = (): ReturnType<typeof Postgres.layer> => Reflect.apply(Postgres.layer, undefined, [text])
      expect(await failure(layer)).toMatch(/^The options of Postgres.layer is a text, but must be an object$/)
    }
  })

  it("no options at all", async () => {
    expect(await failure(() => Reflect.apply(Postgres.layer, undefined, []))).toMatch(/is missing, but must be/)
  })
})

describe("Postgres.layer with a database that is not there", () => {
  const sockets = new Set<Socket>()
  const listening: Array<Server> = []
  const serve = (answer: (socket: Socket) => void): Promise<number> =>
    new Promise((resolve) => {
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.on("error", () => {})
        answer(socket)
      })
      listening.push(server)
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resolve(typeof address === "object" && address !== null ? address.port : 0)
      })
    })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    for (const server of listening) server.close()
  })

  const at = (change: (url: URL) => void): URL => {
    const url = new URL(Databases.adminUrl())
    change(url)
    return url
  }

  it("a port where nothing listens, as a text, a URL and a Redacted", async () => {
    const url = `postgres://me:${PASSWORD}@127.0.0.1:1/d`
    for (const given of [url, new URL(url), Redacted.make(url)]) {
      expect(await postgres({ url: given })).toMatch(
        /^url names 127\.0\.0\.1:1, where no PostgreSQL can be reached, and must name one that can: .*ECONNREFUSED/
      )
    }
  })

  it("a URL without a user, where the environment has none either", async () => {
    vi.stubEnv("USER", undefined)
    vi.stubEnv("USERNAME", undefined)
    expect(await postgres({ url: "postgres://127.0.0.1:1/d" })).toMatch(
      /^url names no user, and neither does the environment/
    )
    vi.unstubAllEnvs()
  })

  it("a host that has no address", async () => {
    expect(await postgres({ url: `postgres://me:${PASSWORD}@nowhere.invalid/d` })).toMatch(
      /^url names nowhere\.invalid/
    )
  })

  it("a server that says nothing, one that speaks of something else, several hosts of which none answers", async () => {
    const silent = await serve(() => {})
    const other = await serve((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))
    const sentences = await Promise.all(
      [silent, other, "1,127.0.0.1:2"].map((at) => postgres({ url: `postgres://me:${PASSWORD}@127.0.0.1:${at}/d` }))
    )
    expect(sentences[0]).toMatch(/^url names 127\.0\.0\.1:\d+, where no PostgreSQL can be reached.*timed out/)
    expect(sentences[1]).toMatch(/^url names 127\.0\.0\.1:\d+, where no PostgreSQL can be reached/)
    expect(sentences[2]).toMatch(/^url names 2 hosts/)
  })

  it("a wrong password, a wrong user and a database that does not exist", async () => {
    const password = at((url) => (url.password = PASSWORD))
    expect(await postgres({ url: password })).toMatch(
      /^url names a user .* or a wrong password: password authentication/
    )
    const user = at((url) => {
      url.username = "nobody"
      url.password = PASSWORD
    })
    expect(await postgres({ url: user })).toMatch(/^url names a user .*nobody/)
    const database = at((url) => (url.pathname = "/no_such_database"))
    expect(await postgres({ url: database })).toMatch(/^url names a database that is not at .*no_such_database/)
  })

  it("one that is there takes a text and a URL", async () => {
    const { drop, url } = await Databases.create()
    for (const given of [url, new URL(url)]) {
      const layer = Postgres.layer({ url: given, maxConnections: 1 })
      await Effect.runPromise(
        Effect.provide(
          Storage.Storage.use((storage) => storage.ready),
          layer
        )
      )
    }
    await drop()
  })
})

describe("Pglite.layer with a directory that cannot be used", () => {
  let home = ""
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "simplan-errors-"))
    await writeFile(join(home, "file"), "")
  })
  afterAll(() => rm(home, { recursive: true, force: true }))

  it("a value that is no path", async () => {
    for (const dataDir of [null, 5, "", " ", "a\0b", new URL("file:///tmp")]) {
      expect(await pglite({ dataDir })).toMatch(/^dataDir is .*, but must be a path such as \.\/data/)
    }
    expect(await pglite({ directory: home })).toMatch(/^The options of Pglite.layer have an option "directory"/)
  })

  it("a file, a path through a file, a place where nothing can be made, other files", async () => {
    expect(await pglite({ dataDir: join(home, "file") })).toMatch(/which is a file or leads through one, but must be/)
    expect(await pglite({ dataDir: join(home, "file", "data") })).toMatch(/which is a file or leads through one/)
    expect(await pglite({ dataDir: "/proc/simplan" })).toMatch(/^dataDir is "\/proc\/simplan", wh/)
    expect(await pglite({ dataDir: home })).toMatch(/which has other files, but must be empty, missing/)
  })

  it("a directory in use", async () => {
    const dataDir = join(home, "data")
    await mkdir(dataDir)
    await Effect.runPromise(
      Effect.scoped(
        Effect.andThen(
          DataDirectory.lock(dataDir),
          Effect.promise(async () => expect(await pglite({ dataDir })).toMatch(/which is in use by another process$/))
        )
      )
    )
  })
})
