// Sets the flags of V8 that a server sets. It is imported before any other module.
import { setFlagsFromString } from "node:v8"
import { HEAP_FLAGS } from "../../dist/adapters/cli/Start.js"

setFlagsFromString(HEAP_FLAGS)
