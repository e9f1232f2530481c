/**
 * The version of this package, as its manifest says it.
 */
import { createRequire } from "node:module"
import { Schema } from "effect"

const manifest: unknown = createRequire(import.meta.url)("simplan/package.json")

export const { version } = Schema.decodeUnknownSync(Schema.Struct({ version: Schema.String }))(manifest)
