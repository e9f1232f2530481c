/** A process of osmo-msc, whose SMPP port is the SMSC. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"

export const systemId = "simplan"
export const password = "s3cret"

// Its consoles are on addresses of their own: their ports are fixed.
const settings = (port: number): string => `
line vty
 no login
 bind 127.0.0.42
ctrl
 bind 127.0.0.42
network
 network country code 001
 mobile network code 01
smpp
 local-tcp-ip 127.0.0.1 ${port}
 system-id osmo
 policy closed
 no smpp-first
 esme ${systemId}
  password ${password}
hlr
 remote-ip 127.0.0.42
`

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (typeof address !== "object" || address === null) throw new Error("no port")
  return address.port
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resolve(true))
    socket.once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })

export interface Osmo {
  /** The files of the database in which it keeps the messages that it has taken. */
  readonly stored: () => Buffer
  readonly stop: () => Promise<void>
}

/** Starts it and waits until its SMPP port is open. */
export const start = async (port: number): Promise<Osmo> => {
  const folder = mkdtempSync(join(tmpdir(), "simplan-osmo-"))
  writeFileSync(join(folder, "osmo-msc.cfg"), settings(port))
  const preload = process.env["SMSC_PRELOAD"]
  const env = { ...process.env, ...(preload === undefined || preload === "" ? {} : { LD_PRELOAD: preload }) }
  const child: ChildProcess = spawn("osmo-msc", ["-c", "osmo-msc.cfg"], { cwd: folder, env })
  let output = ""
  child.stderr?.on("data", (chunk) => (output += String(chunk)))
  child.stdout?.on("data", (chunk) => (output += String(chunk)))
  const ended = once(child, "exit")
  for (let tries = 0; !(await listens(port)); tries++) {
    if (child.exitCode !== null || tries > 100) throw new Error(`osmo-msc does not open its SMPP port:\n${output}`)
    await wait(50)
  }
  return {
    stored: () => {
      const files = readdirSync(folder).filter((name) => name.startsWith("sms.db"))
      return Buffer.concat(files.map((name) => readFileSync(join(folder, name))))
    },
    stop: async () => {
      child.kill("SIGKILL")
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
