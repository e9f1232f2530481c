/**
 * The room on the file system of a data directory. PostgreSQL ends its process where it cannot make the next file of its
 * log, of 16 MB, and PGlite then spins for ever instead. So no write begins with less than two of these files left: the
 * database reads on, and takes writes again as soon as there is room.
 */
import { statfsSync } from "node:fs"
import { Effect } from "effect"
import { Storage } from "simplan/ports"

const MB = 1_048_576

/** What a write needs, in bytes. */
const LEAST = 32 * MB

/** What the files of a new database need, in bytes. */
const NEW = 64 * MB

/** How many bytes are left; infinitely many where the file system does not say. */
const left = (path: string): number => {
  try {
    const { bavail, blocks, bsize } = statfsSync(path)
    return blocks === 0 ? Infinity : bavail * bsize
  } catch {
    return Infinity
  }
}

const enough = (path: string, least: number): Effect.Effect<void, Storage.StorageError> =>
  Effect.suspend(() => {
    const found = left(path)
    if (found >= least) return Effect.void
    const message = `The file system of ${path} has ${Math.floor(found / MB)} MB left, and has to have ${least / MB} MB for writes`
    return Effect.fail(new Storage.StorageError({ message }))
  })

/** Fails while there is no room for a write. */
export const forWrites = (path: string): Effect.Effect<void, Storage.StorageError> => enough(path, LEAST)

/** Fails where there is no room to open the database, or to make it. */
export const forOpening = (path: string, isNew: boolean): Effect.Effect<void, Storage.StorageError> =>
  enough(path, isNew ? LEAST + NEW : LEAST)
