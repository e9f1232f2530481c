/**
 * Drawings of histories: legible in light and dark, and safe for any text in a scenario.
 */
import { describe, expect, it } from "vitest"
import * as Timeline from "../../adapters/timeline/index.ts"
import * as Style from "../../adapters/timeline/drawing/Style.ts"
import * as Figure from "../../adapters/timeline/drawing/Figure.ts"
import * as Played from "./Played.ts"

const { Drawing, Page } = Timeline

const monthly = {
  plan: {
    data_MBs: 100,
    period_days: 28,
    recurring: true,
    nb_occurrence: 12,
    recurring_periodicity_type: "2",
    recurring_periodicity_frequency: 1
  },
  subscription: { active_period: { start: "+3 days" } },
  steps: [{ at: "+5 days", do: "usage", total_MBs: 60 }]
}

const count = (text: string, part: string) => text.split(part).length - 1

/** The positions and widths of the bars of packages. */
const bars = (svg: string) =>
  [...svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" [^>]*class="tl-package" rx="3"/g)]
    .map(([, x, width]) => ({ x: Number(x), width: Number(width) }))
    .filter(({ width }) => width > 14)

describe("a drawing", () => {
  it("has a bar for each package at its position, within the drawing, at any width", async () => {
    const history = await Played.value(monthly)
    for (const width of [320, 960, 1600]) {
      const drawn = bars(Drawing.svg(history, { width }))
      expect(drawn).toHaveLength(12)
      expect(new Set(drawn.map(({ x }) => x)).size).toBe(12)
      for (const { width: wide, x } of drawn) {
        expect(x).toBeGreaterThan(0)
        expect(x + wide).toBeLessThanOrEqual(width)
      }
    }
  })

  it("has details as titles, or as attributes for a page", async () => {
    const history = await Played.value(monthly)
    const picture = Drawing.svg(history)
    expect(picture).toContain(
      "<title>package 1 of 12\ncreated 2026-01-03 12:00, 12 hours before\nactive 2026-01-04 00:00"
    )
    expect(picture).not.toContain("data-tip")
    const page = Drawing.svg(history, { interactive: true })
    expect(page).not.toContain("<title>")
    expect(count(page, "data-tip")).toBe(count(picture, "<title>"))
  })

  it("has a legend of what it contains only", async () => {
    const plain = Drawing.svg(await Played.value({ plan: { data_MBs: 1, period_days: 1 } }))
    expect(plain).toContain(">PENDING_FOR_FIRST_USE</text>")
    for (const absent of [
      "SUSPENDED",
      "throttled",
      "webhook",
      "purchase of an eSIM",
      "created, not yet active (lead time)",
      "refused or failed"
    ]) {
      expect(plain).not.toContain(`${absent}</text>`)
    }
  })

  it("marks what becomes of an eSIM that is bought", async () => {
    const history = await Played.value({ plan: { data_MBs: 1, period_days: 1 }, bundle: { load: "sim_1GB_7D_FR" } })
    const picture = Drawing.svg(history)
    expect(picture).toContain("purchase of an eSIM</text>")
    expect(picture).toMatch(/<title>[^<]* an eSIM with sim_1GB_7D_FR is asked for[^<]* is bought [^<]* is claimed/)
  })

  it("escapes the texts of a scenario", async () => {
    const title = `<script>alert("&")</script>`
    const history = await Played.value({ ...monthly, title, about: title })
    for (const text of [Drawing.svg(history), Page.html(history)]) {
      expect(text).not.toContain("<script>alert")
      expect(text).toContain("&lt;script&gt;")
    }
  })

  it("has a limited size with a thousand packages, even if they overlap", async () => {
    const thousand = { ...monthly.plan, nb_occurrence: 1000, recurring_periodicity_type: "0" }
    const beside = await Played.value({ ...monthly, plan: { ...thousand, period_days: 1 } })
    expect(Drawing.svg(beside).length).toBeLessThan(1_000_000)
    const above = await Played.value({ ...monthly, plan: { ...thousand, nb_occurrence: 60, period_days: 60 } })
    expect(Drawing.svg(above)).toContain("and 44 more that overlap with these")
  })
})

describe("the date axis", () => {
  const DAY = 86_400_000
  const START = Date.UTC(2026, 0, 1)

  it.each([
    [DAY / 24, "00:00, 00:05, 00:10, 00:15, 00:20, 00:25, 00:30, 00:35, 00:40, 00:45, 00:50, 00:55, 01:00"],
    [2 * DAY, "1 Jan, 06:00, 12:00, 18:00, 2 Jan, 06:00, 12:00, 18:00, 3 Jan"],
    [28 * DAY, "5 Jan, 12 Jan, 19 Jan, 26 Jan"],
    [365 * DAY, "Jan, Feb, Mar, Apr, May, Jun, Jul, Aug, Sep, Oct, Nov, Dec, Jan"],
    [3 * 365 * DAY, "Jan, Apr, Jul, Oct, Jan, Apr, Jul, Oct, Jan, Apr, Jul, Oct"]
  ])("over %i ms", (span, labels) => {
    const room = span === 28 * DAY ? 150 : 62
    const ticks = Figure.ticks(Figure.scale(START, START + span, 0, 900), 900, room)
    const named = ticks.map(({ label }) => label)
    expect(
      named.map((label, index) => (index === 0 && span < DAY ? label.replace("1 Jan", "00:00") : label)).join(", ")
    ).toBe(labels)
  })

  it("shows the year at its first tick", () => {
    const ticks = Figure.ticks(Figure.scale(START - 10 * DAY, START + 10 * DAY, 0, 900), 900, 62)
    expect(ticks.flatMap(({ year }) => (year === null ? [] : [year]))).toEqual(["2025", "2026"])
  })
})

describe("colours", () => {
  const luminance = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const contrast = (one: string, other: string): number => {
    const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right)
    return (high + 0.05) / (low + 0.05)
  }

  describe.each([
    ["light", Style.light],
    ["dark", Style.dark]
  ])("in %s", (_, colours) => {
    it.each([
      ["ink", "ground", 7],
      ["muted", "ground", 4.5],
      ["created-ink", "created-fill", 4.5],
      ["pending-ink", "pending-fill", 4.5],
      ["active-ink", "active-fill", 4.5],
      ["suspended-ink", "suspended-fill", 4.5],
      ["expired-ink", "expired-fill", 4.5],
      ["package-ink", "package-fill", 4.5],
      ["throttled", "ground", 4.5],
      ["usage", "ground", 3],
      ["webhook", "ground", 3],
      ["bad", "ground", 4.5]
    ] as const)("%s stands out from %s", (ink, ground, least) => {
      expect(contrast(colours[ink] ?? "", colours[ground] ?? "")).toBeGreaterThanOrEqual(least)
    })
  })
})
