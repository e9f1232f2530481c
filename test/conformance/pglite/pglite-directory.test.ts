import { type ChildProcess, spawn } from "node:child_process"
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Storage } from "simplan/ports"
import * as Pglite from "simplan/pglite"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Postgres from "simplan/postgres"
import * as Migrations from "../../../adapters/postgres/migrations/Migrations.ts"
import * as PlantedVersions from "../../setup/databases/PlantedVersions.ts"
import type { Message } from "./holdPglite.ts"

interface Holder {
  readonly process: ChildProcess
  readonly messages: ReadonlyArray<Message>
  readonly until: (seen: (message: Message) => boolean) => Promise<Message>
  readonly ended: Promise<void>
}

/** A process of its own that opens the directory. */
const holder = (dataDir: string): Holder => {
  const child = spawn(process.execPath, [fileURLToPath(new URL("./PgliteHolder.mjs", import.meta.url)), dataDir], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const messages: Array<Message> = []
  const watchers = new Set<(message: Message) => void>()
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message: Message = JSON.parse(line)
    messages.push(message)
    for (const watcher of watchers) watcher(message)
  })
  return {
    process: child,
    messages,
    until: (seen) =>
      new Promise((resolve, reject) => {
        child.once("exit", () => reject(new Error(`The holder ended: ${JSON.stringify(messages.at(-1))}`)))
        watchers.add((message) => {
          if (seen(message)) resolve(message)
        })
      }),
    ended: new Promise((resolve) => child.once("exit", () => resolve()))
  }
}

const use = <A, E>(dataDir: string, effect: (storage: Storage.Storage["Service"]) => Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Storage.Storage.use(effect).pipe(Effect.provide(Pglite.layer({ dataDir }))))

describe("A data directory of PGlite", () => {
  let home = ""
  const holders: Array<Holder> = []
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "simplan-pglite-"))
  })
  afterEach(async () => {
    for (const { ended, process } of holders.splice(0)) {
      process.kill("SIGKILL")
      await ended
    }
    await rm(home, { recursive: true, force: true })
  })
  const start = (dataDir: string): Holder => {
    const started = holder(dataDir)
    holders.push(started)
    return started
  }

  it("gets an index anew that a migration has not built to its end", async () => {
    const opened = <A, E>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
      Effect.runPromise(
        SqlClient.SqlClient.use(use).pipe(Effect.provide(Pglite.layer({ dataDir: join(home, "data") })))
      )
    const schema = Postgres.DatabaseSchema.make(Postgres.DatabaseSchema.DEFAULT)
    await opened((sql) =>
      Effect.gen(function* () {
        yield* Migrations.run(sql, schema, PlantedVersions.upTo(1))
        yield* sql`create index sim_remarks on simplan.sim (organization_id)`
        yield* sql`update pg_index set indisvalid = false where indexrelid = 'simplan.sim_remarks'::regclass`
      })
    )
    const found = await opened((sql) =>
      Effect.andThen(
        Migrations.run(sql, schema, PlantedVersions.upTo(2)),
        sql`select indisvalid as valid from pg_index where indexrelid = to_regclass('simplan.sim_remarks')`
      )
    )
    expect(found).toEqual([{ valid: true }])
  })

  it("is made with its parents, and keeps what was committed when it is closed", async () => {
    const dataDir = join(home, "deep", "er", "data")
    await use(dataDir, (storage) => storage.commit({ clock: 7 }))
    expect(await use(dataDir, (storage) => storage.virtualClock)).toBe(7)
  })

  it("is refused to a second process at once, also by another path, and free after the first has closed it", async () => {
    const dataDir = join(home, "data")
    const first = start(dataDir)
    await first.until(({ opened }) => opened)

    const refusal = await use(dataDir, (storage) => storage.ready).catch((error) => error)
    expect(refusal).toBeInstanceOf(Storage.StorageError)
    expect(refusal.message).toContain(dataDir)
    await symlink(dataDir, join(home, "link"))
    await expect(use(join(home, "link"), (storage) => storage.ready)).rejects.toThrow("in use by another process")
    const second = start(dataDir)
    expect((await second.until(() => true)).message).toContain(dataDir)
    await second.ended

    first.process.stdin?.end()
    await first.ended
    await use(dataDir, (storage) => storage.ready)
  })

  it("is free after a kill -9, with everything that was answered", async () => {
    const dataDir = join(home, "data")
    for (let round = 1; round <= 2; round++) {
      const killed = start(dataDir)
      await killed.until(({ message }) => Number(message) >= 50)
      killed.process.kill("SIGKILL")
      await killed.ended
      const answered = Number(killed.messages.at(-1)?.message)
      const stored = await use(dataDir, (storage) => storage.virtualClock)
      expect(stored).toBeGreaterThanOrEqual(answered)
    }
  })

  it("is made anew where a process was killed while it made it", async () => {
    const dataDir = join(home, "data")
    await mkdir(join(dataDir, "base"), { recursive: true })
    await writeFile(join(dataDir, "simplan-is-making-this"), "")
    await writeFile(join(dataDir, "PG_VERSION"), "half")
    await use(dataDir, (storage) => storage.commit({ clock: 7 }))
    expect(await use(dataDir, (storage) => storage.virtualClock)).toBe(7)
  })

  it("is refused to a second layer of the same process", async () => {
    const dataDir = join(home, "data")
    await use(dataDir, () => expectRefused(dataDir))
    await use(dataDir, (storage) => storage.ready)
  })
})

const expectRefused = (dataDir: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    await expect(use(dataDir, (storage) => storage.ready)).rejects.toThrow("in use by another process")
  })
