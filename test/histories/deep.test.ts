/**
 * `npm run test:deep` prints how much it ran and, for a run that fails, the seed and the commands.
 * Its exit code tells whether one failed.
 */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const script = fileURLToPath(new URL("deep.mjs", import.meta.url))

interface Ended {
  readonly code: unknown
  readonly stdout: string
  readonly stderr: string
}

const deep = (...options: ReadonlyArray<string>) =>
  new Promise<Ended>((resolve) => {
    execFile(process.execPath, [script, ...options], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr })
    )
  })

describe("A deep run", () => {
  it("prints how much it ran", async () => {
    const { code, stdout } = await deep("--runs", "20", "--seed", "7", "--workers", "1")
    expect(stdout).toMatch(/^20 runs from seed 7 on, \d+ commands, [\d.]+ simulated years in [\d.]+ s/)
    expect(code).toBe(0)
  }, 300_000)

  it("that finds a fault prints the seed and at most 10 commands, and fails", async () => {
    const { code, stderr } = await deep("--runs", "500", "--seed", "7", "--workers", "1", "--plant", "4")
    expect(stderr).toMatch(/Seed \d+ fails\. The shortest commands found that do, ([1-9]|10) of them:/)
    expect(stderr).toContain("After step")
    expect(code).toBe(1)
  }, 300_000)

  it("refuses an option that is no number", async () => {
    const { code, stderr } = await deep("--seconds", "soon")
    expect(stderr.trim()).toBe("--seconds must be a whole number of at least 1, not soon")
    expect(code).toBe(2)
  })
})
