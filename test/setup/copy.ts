import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** An empty directory at first; `BuiltCopy.shared` fills it. */
    sharedCopy: string
  }
}

/** vitest's global set-up: a directory for the one built copy that the tests with processes of their own share. */
export default (project: TestProject): (() => void) => {
  const directory = mkdtempSync(join(tmpdir(), "simplan-shared-"))
  project.provide("sharedCopy", directory)
  return () => rmSync(directory, { recursive: true, force: true })
}
