// Sets the flags of V8 that a server sets. It is imported before any other module.
import { setFlagsFromString } from "node:v8"
import { ofHeap } from "../../dist/adapters/cli/server/V8Flags.js"

setFlagsFromString(ofHeap)
