/**
 * Opening a PGlite, and making one if there is none. A process that is killed while it makes one
 * leaves a mark, by which the next knows that nothing was ever stored there, and begins anew.
 *
 * A fresh database is copied from a template, since making one takes seconds and copying it a
 * fraction of one. The build puts a template beside the tree that it builds, and the tests' set-up
 * beside the sources; if there is none, a database is made the long way. A template is of one
 * version of PGlite and serves no other.
 */
import { execFile, fork } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { PGlite } from "@electric-sql/pglite"

// A host without PGlite may have a bundle, which lifts static imports to its beginning.
const load = async () => (await import("@electric-sql/pglite")).PGlite

/** The mark of a database that is being made. */
const MARK = "simplan-is-making-this"

/**
 * Whether a directory with these files has a database, or was to have one; other files in it would
 * be lost.
 */
export const isOurs = (names: ReadonlyArray<string>): boolean => names.includes(MARK) || names.includes("PG_VERSION")

/** Whether the directory has a database. */
export const isMade = (path: string): boolean => !existsSync(join(path, MARK)) && existsSync(join(path, "PG_VERSION"))

// A bundle in CommonJS has none. The folder is empty there, and nothing is beside it.
const here: string | undefined = import.meta.url
const folder = here === undefined ? "" : dirname(fileURLToPath(here))

/**
 * Where the templates of the tree are that this module is in. Joined, since bundlers take `new URL`
 * of a name for a file that has to be there.
 */
export const templates = join(folder, "..", "..", ".pglite")

const version = async (): Promise<string> => {
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite")
  const manifest: unknown = JSON.parse(await readFile(join(dirname(entry), "..", "package.json"), "utf8"))
  return typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : ""
}

const fileIn = async (where: string): Promise<string> => join(where, `${await version()}.tar.gz`)

/** Makes a template in a directory, unless it is there. It appears whole. */
export const makeTemplate = async (where: string): Promise<void> => {
  const file = await fileIn(where)
  if (existsSync(file)) return
  const database = await (await load()).create()
  const dump = await database.dumpDataDir("gzip")
  await database.close()
  await mkdir(where, { recursive: true })
  const unfinished = `${file}.${randomBytes(4).toString("hex")}`
  await writeFile(unfinished, Buffer.from(await dump.arrayBuffer()))
  await rename(unfinished, file)
}

const templateFile = async (): Promise<string | undefined> => {
  if (here === undefined || !existsSync(templates)) return undefined
  const file = await fileIn(templates)
  return existsSync(file) ? file : undefined
}

/** The template beside this tree; undefined if there is none. */
export const template = async (): Promise<Blob | undefined> => {
  const file = await templateFile()
  return file === undefined ? undefined : new Blob([await readFile(file)])
}

const fromTemplate = async (): Promise<{ readonly loadDataDir?: Blob }> => {
  const found = await template()
  return found === undefined ? {} : { loadDataDir: found }
}

// A program that made the files for a process that was killed may still write some for a moment.
const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 10 })

const empty = async (path: string): Promise<void> => {
  for (const name of await readdir(path)) await remove(join(path, name))
}

/** Not there if a bundler left it out, and among the sources. */
const initdb = join(folder, "Initdb.js")

/** In milliseconds; it takes some seconds. */
const LONGEST = 120_000

/** Whether the program made a database in the directory, which is empty. */
const ranInitdb = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    // What runs once is not worth optimizing: the program takes no longer without, and a quarter
    // less memory (40 % of it on Node 24).
    const program = fork(initdb, [path], { execArgv: ["--liftoff-only"], stdio: "ignore", timeout: LONGEST })
    program.once("error", () => resolve(false))
    program.once("exit", (code) => resolve(code === 0 && existsSync(join(path, "PG_VERSION"))))
  })

/** Whether the system's `tar` put the files of the template into the directory, which is empty. */
const unpacked = (file: string, path: string): Promise<boolean> =>
  new Promise((resolve) => {
    execFile("tar", ["-xzf", file, "-C", path], { timeout: LONGEST }, (error) =>
      resolve(error === null && existsSync(join(path, "PG_VERSION")))
    )
  })

/**
 * Fills the directory with the files of a new database, by a process of its own, so that this one
 * never has the memory that making or unpacking them takes. Without such a process the directory is
 * left as it was, and PGlite does it here.
 */
const fill = async (path: string): Promise<void> => {
  const file = await templateFile()
  if (file === undefined && (here === undefined || !existsSync(initdb))) return
  const made = await mkdtemp(join(path, "making-"))
  const isThere = file === undefined ? ranInitdb(made) : unpacked(file, made)
  if (await isThere.catch(() => false)) {
    for (const name of await readdir(made)) await rename(join(made, name), join(path, name))
    await rmdir(made)
  } else await remove(made)
}

/** A database in memory. */
export const inMemory = async (): Promise<PGlite> => (await load()).create(await fromTemplate())

/**
 * The database in a directory, which is there and this process's alone; made if the directory
 * has none.
 */
export const inDirectory = async (path: string): Promise<PGlite> => {
  const mark = join(path, MARK)
  const relaxedDurability = false
  if (existsSync(mark)) await empty(path)
  if (existsSync(join(path, "PG_VERSION"))) return (await load()).create(path, { relaxedDurability })
  await writeFile(mark, "")
  await fill(path)
  const copied = existsSync(join(path, "PG_VERSION")) ? {} : await fromTemplate()
  const made = await (await load()).create(path, { relaxedDurability, ...copied })
  await rm(mark)
  return made
}
