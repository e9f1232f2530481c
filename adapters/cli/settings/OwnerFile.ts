/**
 * Files in `.simplan/` that only their owner can read (mode 0600, directory 0700). A file is replaced as a whole, so that
 * a crash leaves the old file or the new one.
 */
import { randomBytes } from "node:crypto"
import { Effect, FileSystem, type PlatformError } from "effect"

/** The directory in the working directory. */
export const DIRECTORY = ".simplan"

/** Writes a file of the directory. With `isNew` it fails with `AlreadyExists` where there is such a file. */
export const write = (
  file: string,
  text: string,
  isNew = false
): Effect.Effect<void, PlatformError.PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* files.makeDirectory(DIRECTORY, { recursive: true, mode: 0o700 })
    yield* files.chmod(DIRECTORY, 0o700)
    const fresh = `${file}.${randomBytes(6).toString("hex")}`
    // Unlike a rename, a link fails if another process has created the file meanwhile.
    const replace = isNew ? files.link(fresh, file) : files.rename(fresh, file)
    yield* files
      .writeFileString(fresh, text, { mode: 0o600, flag: "wx" })
      .pipe(Effect.andThen(replace), Effect.ensuring(Effect.ignore(files.remove(fresh, { force: true }))))
  })
