/**
 * The version of this build: that of the package's manifest, and the digest of what it was built
 * from. Two builds are of the same version only if they were made of the same sources.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"

const manifest: unknown = createRequire(import.meta.url)("simplan/package.json")

const released = Schema.decodeUnknownSync(Schema.Struct({ version: Schema.String }))(manifest).version

/** What the build leaves beside this module; the sources have none. */
const digest = (): string => {
  try {
    return readFileSync(join(dirname(fileURLToPath(import.meta.url)), "build.digest"), "utf8").slice(0, 12)
  } catch {
    return "sources"
  }
}

/** As Semantic Versioning has it: the build's metadata after a plus sign. */
export const version = `${released}+${digest()}`
