import { randomBytes } from "node:crypto"
import { Redacted } from "effect"
import * as Memory from "simplan/memory"
import * as Pglite from "simplan/pglite"
import { afterAll, describe, it } from "vitest"
import * as StorageSuite from "../../src/testing/StorageSuite.ts"

// With a key and a schema, while the suite of PostgreSQL runs without them: the statements are the
// same, so that the slower one has fewer of the random runs, and others of them.
const secretKeys = Redacted.make(randomBytes(32).toString("base64"))

StorageSuite.run(
  "PGlite",
  Pglite.layer({ secretKeys, schema: "user" }),
  { describe, it, afterAll },
  { reference: Memory.layer, runs: 3 }
)
