import * as Memory from "simplan/memory"
import * as Pglite from "simplan/pglite"
import { afterAll, describe, it } from "vitest"
import * as StorageSuite from "../../src/testing/StorageSuite.ts"

StorageSuite.run("PGlite", Pglite.layer(), { describe, it, afterAll }, { reference: Memory.layer })
