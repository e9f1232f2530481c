/** PgBouncer in front of a PostgreSQL, as a user without rights, on a port of its own. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, type Scope } from "effect"

export interface PgBouncer {
  /** The database's URL through it. */
  readonly url: string
  /** It stands still, and goes on; its connections stay open. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Kills it, and starts another one at the same port. */
  readonly restart: () => Promise<void>
  /**
   * Goes on in front of the database of another URL; what is connected to the one before is let go.
   */
  readonly follow: (url: string) => void
  readonly stop: () => Promise<void>
}

export interface Build {
  /** Such as `1.18`. */
  readonly version: string
  readonly command: ReadonlyArray<string>
}

/** The builds that `run.mjs` has installed, Debian's own first. */
export const builds: ReadonlyArray<Build> = JSON.parse(process.env["PGBOUNCER_BUILDS"] ?? "[]")

/** The id of the user that it runs as where the tests run as root, which it refuses to be. */
const unprivileged = (): number | undefined =>
  process.getuid?.() === 0 ? Number(spawnSync("id", ["-u", "nobody"], { encoding: "utf8" }).stdout) : undefined

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : 0
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket.destroy() !== undefined))
    socket.once("error", () => resolve(false))
  })

const up = async (child: ChildProcess, port: number): Promise<void> => {
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with code ${child.exitCode}`)
    await sleep(20)
  }
}

/**
 * Starts one in front of the database of the URL; `settings` are lines of its section `pgbouncer`.
 */
export const start = async (url: string, settings: ReadonlyArray<string>, build = builds[0]): Promise<PgBouncer> => {
  const [command = "pgbouncer", ...args] = build?.command ?? []
  const directory = mkdtempSync(join(tmpdir(), "simplan-pgbouncer-"))
  const file = join(directory, "pgbouncer.ini")
  const own = await freePort()
  const configure = (of: string): void => {
    const { hostname, password, port, username } = new URL(of)
    const lines = [
      "[databases]",
      `* = host=${hostname} port=${port} user=${username} password=${password}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${own}`,
      "unix_socket_dir =",
      "auth_type = any",
      ...settings
    ]
    writeFileSync(file, `${lines.join("\n")}\n`)
  }
  configure(url)
  const uid = unprivileged()
  if (uid !== undefined) {
    chmodSync(directory, 0o700)
    for (const path of [directory, file]) chownSync(path, uid, uid)
  }
  const run = async (): Promise<ChildProcess> => {
    const child = spawn(command, [...args, file], {
      stdio: ["ignore", "ignore", "ignore"],
      ...(uid !== undefined && { uid, gid: uid })
    })
    await up(child, own)
    return child
  }
  const kill = async (): Promise<void> => {
    const ended = once(child, "exit")
    child.kill("SIGKILL")
    await ended
  }
  let child = await run()
  return {
    url: `postgres://simplan@127.0.0.1:${own}${new URL(url).pathname}`,
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    restart: async () => {
      await kill()
      child = await run()
    },
    follow: (of) => {
      configure(of)
      child.kill("SIGHUP")
    },
    stop: async () => {
      await kill()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

/** Likewise, until the scope ends. */
export const scoped = (...given: Parameters<typeof start>): Effect.Effect<PgBouncer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => start(...given)),
    ({ stop }) => Effect.promise(stop)
  )
