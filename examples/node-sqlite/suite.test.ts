import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import * as Memory from "simplan/memory"
import { StorageSuite } from "simplan/testing"
import { layer } from "./Storage.ts"

const directory = mkdtempSync(join(tmpdir(), "simplan-sqlite-"))

StorageSuite.run(
  "node:sqlite",
  layer({ file: join(directory, "simplan.db") }),
  { describe, it, afterAll: after },
  { reference: Memory.layer }
)

after(() => rmSync(directory, { recursive: true }))
