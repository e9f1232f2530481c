/**
 * A token from standard input, which only a process has.
 */
import { spawnSync } from "node:child_process"
import { expect, it, vi } from "vitest"
import * as BuiltCopy from "../BuiltCopy.ts"

vi.setConfig({ testTimeout: 120_000 })

it("--token @- reads standard input", async () => {
  const { main } = await BuiltCopy.shared()
  const run = (input: string) => {
    const args = [main, "org", "list", "--url", "http://127.0.0.1:1", "--token", "@-"]
    const { status, stderr } = spawnSync(process.execPath, args, { input, encoding: "utf8" })
    return { status, stderr }
  }
  expect(run("token\n")).toEqual({ status: 1, stderr: expect.stringMatching(/^No server answers at /) })
  expect(run("\n")).toEqual({ status: 2, stderr: "--token is @-, and there is no text in it.\n" })
})
