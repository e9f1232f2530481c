// Measuring things side by side: one after the other, several times over, so that what the machine
// does beside it befalls all of them; the middle one of the rounds is taken of each.
import * as Processes from "./Processes.mjs"

const middle = (numbers) => [...numbers].sort((left, right) => left - right)[Math.floor((numbers.length - 1) / 2)]

const medians = (measured) =>
  Object.fromEntries(
    ["perSecond", "p50", "p99", "cpuMicros", "loaderShare"].map((name) => [
      name,
      middle(measured.map((one) => one[name]))
    ])
  )

const WARM_UP = 20_000

/**
 * The contenders are `{name: {server, task, before?}}`; `before` puts the data right for each load
 * and is not measured. Each is warmed up first, with as many requests as its code needs to be
 * compiled: in several loads, where the task has an amount of its own that is smaller.
 */
export const alternate = async (contenders, { rounds, seconds }) => {
  const names = Object.keys(contenders)
  const results = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const { before, server, task } = contenders[name]
      const given = typeof task === "function" ? task(round) : task
      const load = async (limit) => {
        await before?.()
        return Processes.load(server, { connections: 32, ...limit, ...given })
      }
      if (round > 0) results[name].push(await load({ seconds }))
      else for (let sent = 0; sent < WARM_UP; ) sent += (await load({ amount: WARM_UP })).requests
    }
  }
  return Object.fromEntries(names.map((name) => [name, medians(results[name])]))
}

/**
 * Measures the service and its yardstick by turns, several times. Gives the round whose ratio is
 * the middle one, of rates or of what `of` gives: what else the machine does changes slowly, so the
 * two measurements of a round are the closest to each other.
 */
export const beside = async (service, yardstick, rounds, of = ({ perSecond }) => perSecond) => {
  const measured = []
  for (let round = 0; round < rounds; round++) {
    const first = round % 2 === 0 ? await service(round) : undefined
    const theirs = await yardstick(round)
    const ours = first ?? (await service(round))
    measured.push({ ours, theirs, ratio: of(ours) / of(theirs) })
  }
  const wanted = middle(measured.map(({ ratio }) => ratio))
  return measured.find(({ ratio }) => ratio === wanted)
}

const rounded = (value) => Number(value >= 100 ? value.toFixed(0) : value.toPrecision(3))
const shown = (value) => rounded(value).toLocaleString("en")

/** A line of the table. `atLeast` and `atMost` say what the value is held to. */
export const line = (what, { atLeast, atMost, baseline = "", note = "", unit = "", value }) => {
  const target = atLeast === undefined ? `≤ ${shown(atMost)}` : `≥ ${shown(atLeast)}`
  const isMet = atLeast === undefined ? value <= atMost : value >= atLeast
  const text = `${shown(value)}${unit === "" ? "" : ` ${unit}`}`
  return {
    what,
    measured: text,
    baseline,
    target: `${target}${unit === "" ? "" : ` ${unit}`}`,
    met: isMet ? "yes" : "NO",
    note
  }
}

const each = ({ cpuMicros, p99, perSecond }) =>
  `${shown(perSecond)}/s, p99 ${shown(p99)} ms${cpuMicros > 0 ? `, ${shown(cpuMicros)} µs` : ""}`

/** A line that holds the rate of one to that of another. */
export const ratio = (what, ours, theirs, atLeast) =>
  line(what, {
    value: ours.perSecond / theirs.perSecond,
    unit: "×",
    atLeast,
    baseline: each(theirs),
    note: each(ours)
  })

/** A line that holds a rate to that of a yardstick. */
export const toYardstick = (what, ours, theirs, { atLeast, name, note, unit }) =>
  line(what, {
    value: ours.perSecond / theirs.perSecond,
    unit: "×",
    atLeast,
    baseline: `${name}: ${shown(theirs.perSecond)} ${unit}/s`,
    note: `${shown(ours.perSecond)} ${unit}/s, ${note}`
  })

/** A line that holds a percentile of one to that of another. */
const percentile = (what, ours, theirs, atMost) =>
  line(what, { value: ours / theirs, unit: "×", atMost, baseline: `${shown(theirs)} ms`, note: `${shown(ours)} ms` })

/** A line that holds the median of one to that of another. */
export const median = (what, ours, theirs, atMost) => percentile(what, ours.p50, theirs.p50, atMost)

/** A line that holds the 99th percentile of one to that of another. */
export const tail = (what, ours, theirs, atMost) => percentile(what, ours.p99, theirs.p99, atMost)
