import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import * as Opening from "../../adapters/pglite/Opening.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** An empty directory at first; `BuiltCopy.shared` fills it. */
    sharedCopy: string
  }
}

/**
 * vitest's global set-up: a directory for the one built copy that the tests with processes of their
 * own share, and the template of embedded databases, which the copy has too.
 */
export default async (project: TestProject): Promise<() => void> => {
  await Opening.makeTemplate(Opening.templates)
  const directory = mkdtempSync(join(tmpdir(), "simplan-shared-"))
  project.provide("sharedCopy", directory)
  return () => rmSync(directory, { recursive: true, force: true })
}
