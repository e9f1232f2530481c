/**
 * What an open first page asks the server, in a real browser whose time is moved: seldom, and
 * nothing while it is hidden.
 */
import { expect, it } from "vitest"
import * as Opened from "./Opened.ts"

const { heading, page, signIn } = Opened.forFile({}, () => Promise.resolve())

const hide = (isHidden: boolean) =>
  page().evaluate(
    `Object.defineProperty(document, "hidden", { configurable: true, get: () => ${isHidden} });
    document.dispatchEvent(new Event("visibilitychange"))`
  )

it("is read four times a minute, and at once when it is seen again", async () => {
  await page().clock.install()
  await signIn("")
  await heading("Overview")
  await page().getByRole("region", { name: "Processes" }).waitFor()
  const asked: Array<string> = []
  const unanswered = new Set<unknown>()
  const reads = (name: string) => asked.filter((path) => path === `/admin/v1/${name}`).length
  page().on("request", (request) => {
    asked.push(new URL(request.url()).pathname)
    unanswered.add(request)
  })
  page().on("requestfinished", (request) => unanswered.delete(request))
  let seconds = 0
  while (reads("overview") < 4) {
    await page().clock.runFor(1_000)
    seconds += 1
  }
  expect(seconds).toBeGreaterThan(45)
  // The clock is that of the bar, which only a virtual one has.
  expect(new Set(asked)).toEqual(new Set(["/admin/v1/overview", "/admin/v1/problems", "/admin/v1/clock"]))

  await hide(true)
  // Each reading waits from its last answer on: on a busy machine one is ahead of another.
  await expect.poll(() => unanswered.size).toBe(0)
  const problems = reads("problems")
  for (let minute = 0; minute < 5; minute += 1) await page().clock.runFor(60_000)
  expect([reads("overview"), reads("problems")]).toEqual([4, problems])
  await hide(false)
  await expect.poll(() => [reads("overview"), reads("problems")]).toEqual([5, problems + 1])
})
