import * as Memory from "simplan/memory"
import { afterAll, describe, it } from "vitest"
import * as StorageSuite from "../../src/testing/StorageSuite.ts"

StorageSuite.run("Memory", Memory.layer, { describe, it, afterAll }, { reference: Memory.layer })
