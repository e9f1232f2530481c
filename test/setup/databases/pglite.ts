import * as Opening from "../../../adapters/pglite/Opening.ts"

/** vitest's global set-up: embedded databases of the run are copied from a template. */
export default (): Promise<void> => Opening.makeTemplate(Opening.templates)
