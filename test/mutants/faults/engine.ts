/**
 * Faults in the engine, which the simulation of several processes has to find; engine.txt lists
 * them.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Fault } from "./Fault.ts"
import * as List from "./List.ts"

const path = fileURLToPath(new URL("engine.txt", import.meta.url))

export const inEngine: ReadonlyArray<Fault> = List.parse("engine", readFileSync(path, "utf8"))

/** The list itself, to write hints into. */
export const list = { path, hinted: List.hinted }
