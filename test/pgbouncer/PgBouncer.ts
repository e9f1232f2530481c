/** PgBouncer in front of the run's PostgreSQL, as a user without rights, on a port of its own. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

export interface PgBouncer {
  /** The database's URL through it. */
  readonly url: string
  readonly stop: () => Promise<void>
}

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

/** Starts one in front of the database of the URL; `settings` are lines of its section `pgbouncer`. */
export const start = async (url: string, settings: ReadonlyArray<string>): Promise<PgBouncer> => {
  const { hostname, password, pathname, port, username } = new URL(url)
  const directory = mkdtempSync(join(tmpdir(), "simplan-pgbouncer-"))
  const file = join(directory, "pgbouncer.ini")
  const own = await freePort()
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
  const uid = unprivileged()
  if (uid !== undefined) {
    chmodSync(directory, 0o700)
    for (const path of [directory, file]) chownSync(path, uid, uid)
  }
  const child = spawn("pgbouncer", [file], {
    stdio: ["ignore", "ignore", "ignore"],
    ...(uid !== undefined && { uid, gid: uid })
  })
  await up(child, own)
  return {
    url: `postgres://simplan@127.0.0.1:${own}${pathname}`,
    stop: async () => {
      const ended = once(child, "exit")
      child.kill("SIGKILL")
      await ended
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
