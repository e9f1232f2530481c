// Compiles src/ and adapters/ into dist/. The result is built in another folder and renamed to
// dist/, so that dist/ is never incomplete. A lock prevents concurrent builds, such as by two
// `npm start` at once: with the argument `serve` it builds where dist/ is stale, and serves.
import { spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, extname, join, relative } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Compiled from "./compiled.mjs"
import * as Library from "./library.mjs"
import * as Platform from "./platform.mjs"
import * as Program from "./program.mjs"

const require = createRequire(import.meta.url)

export const root = fileURLToPath(new URL("../../..", import.meta.url))
const dist = join(root, "dist")
const workshop = join(root, ".build")
const lock = join(workshop, "lock")

const trees = ["src", "adapters"]
const settings = ["package.json", "package-lock.json", "tsconfig.json"]

// The playground has its own build and is not part of the package.
const playground = join(root, "adapters", "timeline", "playground")

// The console is part of it as a page, which a build of its own makes.
const consoleSources = join(root, "adapters", "console")

const filesUnder = (directory) =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    if (path === playground) return []
    return entry.isDirectory() ? filesUnder(path) : entry.isFile() ? [path] : []
  })

const sources = () =>
  trees
    .map((tree) => join(root, tree))
    .filter((tree) => existsSync(tree))
    .flatMap(filesUnder)

/**
 * A hash of all inputs of the build, by content, so that a checkout or a copy does not make dist/
 * stale.
 */
const fingerprint = () => {
  const hash = createHash("sha256")
  const files = [...sources(), ...settings.map((name) => join(root, name)).filter((path) => existsSync(path))]
  for (const path of files.sort()) {
    const content = readFileSync(path)
    hash.update(`${relative(root, path)}\0${content.length}\0`).update(content)
  }
  return hash.digest("hex")
}

const builtFrom = () => {
  try {
    return readFileSync(join(dist, ".sources"), "utf8")
  } catch {
    return undefined
  }
}

// A published package has dist/ and no sources, so that dist/ cannot be stale.
const isFresh = () => (existsSync(join(root, "src")) ? builtFrom() === fingerprint() : existsSync(dist))

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}

/** Removes a lock whose process has ended, or that is older than any build takes. */
const clearAbandoned = () => {
  try {
    const pid = Number(readFileSync(lock, "utf8"))
    const age = Date.now() - statSync(lock).mtimeMs
    const abandoned = pid > 0 ? !isAlive(pid) || age > 600_000 : age > 5_000
    if (abandoned) rmSync(lock, { force: true })
  } catch {
    // The lock was released meanwhile.
  }
}

const withLock = async (use) => {
  mkdirSync(workshop, { recursive: true })
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" })
      break
    } catch (error) {
      if (error.code !== "EEXIST") throw error
      clearAbandoned()
      await sleep(100)
    }
  }
  const release = () => rmSync(lock, { force: true })
  process.once("exit", release)
  try {
    return await use()
  } finally {
    process.off("exit", release)
    release()
  }
}

const compile = (target) =>
  new Promise((resolve, reject) => {
    const tsc = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc")
    const project = join(root, "adapters", "cli", "build", "tsconfig.json")
    // The compiler's messages go to stderr, because stdout is for the server's output.
    const child = spawn(process.execPath, [tsc, "-p", project, "--outDir", target], {
      cwd: root,
      stdio: ["ignore", 2, 2]
    })
    child.once("error", reject)
    child.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error("simplan does not compile, see the messages above"))
    )
  })

/** The declarations of the package's entry points, in dist/. */
const entryPoints = () =>
  Object.values(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).exports)
    .flatMap(({ types }) => types ?? [])
    .map((path) => relative(dist, join(root, path)))

/** Copies the data files that lie beside the code; tsc leaves them behind. */
const copyData = (target) => {
  for (const path of sources()) {
    const name = relative(root, path)
    if (path.startsWith(consoleSources)) continue
    const isData = ![".ts", ".mts", ".mjs", ".md"].includes(extname(name)) && !name.endsWith("tsconfig.json")
    if (isData) cpSync(path, join(target, name))
  }
}

/** Copies the template of new embedded databases, which is made once for a version of PGlite. */
const copyTemplate = async (target) => {
  const { makeTemplate } = await import(pathToFileURL(join(target, "adapters", "pglite", "Opening.js")).href)
  const templates = join(root, ".pglite")
  await makeTemplate(templates)
  cpSync(templates, join(target, ".pglite"), { recursive: true })
}

/** Builds the console's page. */
const buildPage = async (target) => {
  const { buildConsole } = await import(pathToFileURL(join(consoleSources, "build.mjs")).href)
  await buildConsole(join(target, "adapters", "console", "page"))
}

const buildAndSwap = async () => {
  const suffix = `${process.pid}-${randomBytes(4).toString("hex")}`
  const fresh = join(workshop, `new-${suffix}`)
  const old = join(workshop, `old-${suffix}`)
  // The fingerprint is taken first, so that a change during the build makes dist/ stale.
  const from = fingerprint()
  // The lock is held, so that all files here are left from builds that were killed.
  for (const name of readdirSync(workshop)) {
    if (name !== "lock") rmSync(join(workshop, name), { recursive: true, force: true })
  }
  try {
    await compile(fresh)
    Compiled.keepDeclarations(fresh, entryPoints())
    Compiled.moveMaps(fresh, { root, dist })
    await Compiled.rewriteModules(fresh, Library.entryPoints(root))
    copyData(fresh)
    await Platform.include(fresh, root)
    await buildPage(fresh)
    await copyTemplate(fresh)
    await Program.make(fresh, root)
    await Library.make(fresh, root)
    writeFileSync(join(fresh, ".sources"), from)
    writeFileSync(join(fresh, "adapters", "cli", "build.digest"), from)
    if (existsSync(dist)) renameSync(dist, old)
    renameSync(fresh, dist)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
    rmSync(old, { recursive: true, force: true })
  }
}

/** Builds dist/ if it is stale. Returns whether it was. */
export const ensureBuilt = async ({ force = false } = {}) => {
  if (!force && isFresh()) return false
  return withLock(async () => {
    if (!force && isFresh()) return false
    await buildAndSwap()
    return true
  })
}

/**
 * Links the command in the repository, so that `npx simplan` finds it: npm does so for packages.
 */
const linkCommand = (main) => {
  const modules = join(root, "node_modules")
  if (!existsSync(join(root, "src")) || !lstatSync(modules).isDirectory()) return
  const link = join(modules, ".bin", "simplan")
  try {
    chmodSync(main, 0o755)
    rmSync(link, { force: true })
    symlinkSync(relative(dirname(link), main), link)
  } catch (error) {
    console.error(`\`npx simplan\` does not work here: ${error.message}`)
  }
}

const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
if (isProgram) {
  const [command, ...args] = process.argv.slice(2)
  const isServing = command === "serve"
  const main = join(dist, "adapters", "cli", "main.js")
  const started = performance.now()
  try {
    const wasStale = await ensureBuilt({ force: !isServing })
    if (isServing && wasStale) console.error(`built in ${((performance.now() - started) / 1000).toFixed(1)} s`)
    if (isServing && !existsSync(main)) throw new Error("the build has no adapters/cli/main.js")
    if (isServing) linkCommand(main)
  } catch (error) {
    console.error(error.message)
    process.exit(1)
  }
  // In this process, so that signals reach the server.
  if (isServing) {
    process.argv = [process.argv[0], main, "serve", ...args]
    await import(pathToFileURL(main).href)
  }
}
