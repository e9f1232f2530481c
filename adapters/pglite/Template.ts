/**
 * A database that is made already: what a fresh one is copied from, since making one takes seconds and copying it a
 * fraction of one.
 *
 * The build puts a template beside the tree that it builds, and the tests' set-up beside the sources; where there is
 * none, a database is made the long way. A template is of one version of PGlite and serves no other.
 */
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { PGlite } from "@electric-sql/pglite"

/**
 * Where the templates of the tree are that this module is in. Joined, since bundlers take `new URL` of a name for a file
 * that has to be there.
 */
export const directory = join(dirname(fileURLToPath(import.meta.url)), "..", "..", ".pglite")

const version = async (): Promise<string> => {
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite")
  const manifest: unknown = JSON.parse(await readFile(join(dirname(entry), "..", "package.json"), "utf8"))
  return typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : ""
}

const fileIn = async (where: string): Promise<string> => join(where, `${await version()}.tar.gz`)

/** The template beside this tree; undefined where there is none. */
export const find = async (): Promise<Blob | undefined> => {
  const file = await fileIn(directory)
  return existsSync(file) ? new Blob([await readFile(file)]) : undefined
}

/** Makes a template in a directory, unless it is there. It appears whole. */
export const make = async (where: string): Promise<void> => {
  const file = await fileIn(where)
  if (existsSync(file)) return
  const database = await PGlite.create()
  const dump = await database.dumpDataDir("gzip")
  await database.close()
  await mkdir(where, { recursive: true })
  const unfinished = `${file}.${randomBytes(4).toString("hex")}`
  await writeFile(unfinished, Buffer.from(await dump.arrayBuffer()))
  await rename(unfinished, file)
}
