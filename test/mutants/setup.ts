/**
 * The same draws for every fault, so that a verdict is the same each time; and no shrinking, as
 * nobody reads what failed.
 */
import * as fc from "fast-check"

fc.configureGlobal({ seed: Number(process.env["MUTANTS_SEED"] ?? 1), endOnFailure: true })
