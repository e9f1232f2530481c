import { parseArgs } from "node:util"
import * as Simulation from "./Simulation.ts"

const { values } = parseArgs({
  options: {
    sims: { type: "string", default: "100000" },
    rate: { type: "string", default: "20" },
    days: { type: "string", default: "3" },
    notified: { type: "string", default: "50,80" },
    thresholds: { type: "string", default: "50,80,100" },
    seed: { type: "string", default: "1" }
  }
})

const MINUTE = 60_000
const PROMISED = 15 * MINUTE

const percents = (list: string): ReadonlyArray<number> => list.split(",").filter(Boolean).map(Number)

const notified = percents(values.notified)
const days = Number(values.days)
const limits = { fastest: 10_000, slowest: 6 * 60 * MINUTE, notified }
const outcome = Simulation.run({
  sims: Number(values.sims),
  callsPerSecond: Number(values.rate),
  days,
  limits,
  seed: Number(values.seed),
  thresholds: percents(values.thresholds)
})

const { locations, packages, profiles, usages } = outcome.calls
const perSecond = (calls: number): string => (calls / days / 86_400).toFixed(1)
console.log(`${values.sims} SIMs, ${values.rate} calls per second, notified: ${notified.join(" and ") || "nothing"}`)
console.log(
  `${perSecond(packages + locations + profiles + usages)} calls per second (${perSecond(packages)} packages, ` +
    `${perSecond(locations)} locations, ${perSecond(profiles)} profiles, ${perSecond(usages)} usage), longest wait ${(outcome.longestWait / MINUTE).toFixed(1)} min`
)
console.log("found         number    median      90 %      99 %    99.9 %   latest  within 15 min")
for (const [what, unsorted] of [...outcome.lateness].sort(([one], [other]) => (String(one) < String(other) ? -1 : 1))) {
  const late = unsorted.toSorted((one, other) => one - other)
  const at = (share: number) =>
    `${((late[Math.ceil(share * late.length) - 1] ?? 0) / MINUTE).toFixed(1)} min`.padStart(10)
  const inTime = late.filter((one) => one <= PROMISED).length / late.length
  const name = typeof what === "number" ? `${what} %` : what
  console.log(
    name.padEnd(12) +
      String(late.length).padStart(8) +
      [0.5, 0.9, 0.99, 0.999, 1].map(at).join("") +
      `  ${(inTime * 100).toFixed(2)} %`
  )
}
