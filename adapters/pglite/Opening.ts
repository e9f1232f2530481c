/**
 * Opening a PGlite, and making one where there is none. A process that is killed while it makes one leaves a mark, by
 * which the next knows that nothing was ever stored there, and begins anew.
 */
import { existsSync } from "node:fs"
import { readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { PGlite } from "@electric-sql/pglite"
import * as Template from "./Template.ts"

/** The mark of a database that is being made. */
const MARK = "simplan-is-making-this"

/** Whether a directory with these files has a database, or was to have one; other files in it would be lost. */
export const isOurs = (names: ReadonlyArray<string>): boolean => names.includes(MARK) || names.includes("PG_VERSION")

const fromTemplate = async (): Promise<{ readonly loadDataDir?: Blob }> => {
  const template = await Template.find()
  return template === undefined ? {} : { loadDataDir: template }
}

const empty = async (path: string): Promise<void> => {
  for (const name of await readdir(path)) await rm(join(path, name), { recursive: true, force: true })
}

/** A database in memory. */
export const inMemory = async (): Promise<PGlite> => PGlite.create(await fromTemplate())

/** The database in a directory, which is there and this process's alone; made where the directory has none. */
export const inDirectory = async (path: string): Promise<PGlite> => {
  const mark = join(path, MARK)
  const relaxedDurability = false
  if (existsSync(mark)) await empty(path)
  if (existsSync(join(path, "PG_VERSION"))) return PGlite.create(path, { relaxedDurability })
  await writeFile(mark, "")
  const made = await PGlite.create(path, { relaxedDurability, ...(await fromTemplate()) })
  await rm(mark)
  return made
}
