import * as Template from "../../../adapters/pglite/Template.ts"

/** vitest's global set-up: embedded databases of the run are copied from a template. */
export default (): Promise<void> => Template.make(Template.directory)
