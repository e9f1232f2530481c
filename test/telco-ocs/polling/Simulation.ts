/**
 * SIMs of an OCS under virtual time, polled by the rules of `adapters/telco-ocs/polling`: how late
 * each threshold is found with so many calls per second. The rules are the real ones (`Polling`,
 * `PollSchedule`); the queue is one by due time, as the journal's is.
 */
import { Allowance } from "simplan/ports"
import * as Polling from "../../../adapters/telco-ocs/Polling.ts"
import type { Ordered } from "../../../adapters/telco-ocs/reports/SimState.ts"
import * as SimState from "../../../adapters/telco-ocs/reports/SimState.ts"
import * as UsageComparison from "../../../adapters/telco-ocs/drift/UsageComparison.ts"
import * as PollSchedule from "../../../adapters/telco-calls/polls/PollSchedule.ts"
import type { SubscriberPackage } from "../../../adapters/telco-ocs/api/Api.ts"
import { Queue } from "./Queue.ts"
import * as Usage from "./Usage.ts"

export interface Options {
  readonly sims: number
  readonly callsPerSecond: number
  readonly days: number
  readonly limits: Omit<PollSchedule.Limits, "spacing">
  readonly seed: number
  /** Those of the plan, in percent; the default ones unless given. */
  readonly thresholds?: ReadonlyArray<number>
}

/** What is found, and how late in milliseconds. */
export type What = number | "first use"

export interface Outcome {
  /** Of all days but the first two, in which the polls spread over the day. */
  readonly lateness: ReadonlyMap<What, ReadonlyArray<number>>
  /** Calls by what they ask for. */
  readonly calls: {
    readonly packages: number
    readonly locations: number
    readonly profiles: number
    readonly usages: number
  }
  readonly notifications: number
  /** The longest time from when a poll was due to when it began, in milliseconds. */
  readonly longestWait: number
}

interface Sim {
  id: number
  allowance: number
  assignedAt: number
  activationAt: number | null
  /** Bytes at the beginning of the day's bursts. */
  base: number
  bursts: ReadonlyArray<Usage.Burst>
  /** When each was crossed, and is not yet found. */
  readonly unfound: Map<What, number>
  state: SimState.SimState
  version: number
}

const SETTLING = 2 * Usage.DAY
const PERIOD = 30 * Usage.DAY

/** The bytes used by an instant of the day. */
const usedBy = ({ allowance, base, bursts }: Sim, now: number): number => {
  let used = base
  for (const { end, rate, start } of bursts) if (start < now) used += (Math.min(end, now) - start) * rate
  return Math.min(allowance, Math.round(used))
}

/** When the SIM reaches so many bytes today; undefined if it does not. */
const reaches = ({ base, bursts }: Sim, bytes: number): number | undefined => {
  let used = base
  for (const { end, rate, start } of bursts) {
    const next = used + (end - start) * rate
    if (next >= bytes) return start + Math.max(0, bytes - used) / rate
    used = next
  }
  return undefined
}

const listed = (sim: Sim, now: number): SubscriberPackage => {
  const activationAt = sim.activationAt !== null && sim.activationAt <= now ? sim.activationAt : null
  return {
    id: sim.id,
    templateId: 1,
    templateName: "simplan",
    assignedAt: sim.assignedAt,
    activationAt,
    expirationAt: activationAt === null ? null : activationAt + PERIOD,
    allowanceBytes: sim.allowance,
    usedBytes: usedBy(sim, now),
    isActive: true,
    isRecurring: false
  }
}

const ordered = (sim: Sim, thresholds: ReadonlyArray<number>): Ordered => ({
  packageId: String(sim.id),
  iccid: "",
  externalId: String(sim.id),
  status: "Created",
  window: null,
  template: null,
  thresholds,
  orderedAt: sim.assignedAt,
  askedAt: sim.assignedAt,
  reviewedBytes: null,
  isWatched: false
})

export const run = ({
  callsPerSecond,
  days,
  limits: settings,
  seed,
  sims: count,
  thresholds = Allowance.thresholds
}: Options): Outcome => {
  const meter = PollSchedule.makeMeter(callsPerSecond)
  const next = Usage.random(seed)
  const lateness = new Map<What, Array<number>>()
  const calls = { packages: 0, locations: 0, profiles: 0, usages: 0 }
  let notifications = 0
  let longestWait = 0
  let ids = 0
  const polls = new Queue()
  const crossings = new Queue()

  const found = (sim: Sim, what: What, now: number) => {
    const at = sim.unfound.get(what)
    if (at === undefined || at > now) return
    sim.unfound.delete(what)
    if (at < SETTLING) return
    const known = lateness.get(what)
    if (known === undefined) lateness.set(what, [now - at])
    else known.push(now - at)
  }

  const plan = (sim: Sim, place: number, dueAt: number) => {
    sim.version += 1
    polls.push(dueAt, place, sim.version)
  }

  /**
   * A SIM that has been in use for two periods: where it stands in its package is as at any later
   * time.
   */
  const aged = (): Sim => {
    const sim: Sim = {
      id: ids++,
      allowance: Usage.size(next),
      assignedAt: -2 * PERIOD,
      activationAt: null,
      base: 0,
      bursts: [],
      unfound: new Map(),
      state: {
        ...SimState.initial,
        network: { polledAt: -next() * 4 * settings.slowest, reportedAt: null },
        profile: { ...SimState.initial.profile, polledAt: -next() * 4 * settings.slowest, isInstalled: true }
      },
      version: 0
    }
    const begun = Math.floor((-2 + next()) * 30)
    for (let day = begun; day < 0; day++) {
      if (isOver(sim, day * Usage.DAY)) renew(sim, (day + next()) * Usage.DAY)
      const bytes = Usage.volume(next)
      if (bytes > 0) sim.activationAt ??= Math.max(sim.assignedAt, day * Usage.DAY)
      sim.base = Math.min(sim.allowance, sim.base + bytes)
    }
    return sim
  }

  const isOver = ({ activationAt, allowance, base }: Sim, day: number): boolean =>
    base >= allowance || (activationAt !== null && activationAt + PERIOD <= day)

  const renew = (sim: Sim, assignedAt: number) =>
    Object.assign(sim, { id: ids++, allowance: Usage.size(next), assignedAt, activationAt: null, base: 0 })

  const sims = Array.from({ length: count }, aged)
  for (const [place, sim] of sims.entries()) plan(sim, place, next() * Math.min(settings.slowest, Usage.DAY))

  /** The bursts of a day, and a new package for those that are through with theirs. */
  const begin = (day: number) => {
    for (const [place, sim] of sims.entries()) {
      sim.base = usedBy(sim, day)
      sim.bursts = []
      const isRenewed = isOver(sim, day)
      if (isRenewed && sim.unfound.size > 0) continue
      const assignedAt = isRenewed ? day + next() * Usage.DAY : day
      sim.bursts = Usage.bursts(Usage.volume(next), day, next).filter(({ start }) => start >= assignedAt)
      if (isRenewed) {
        renew(sim, assignedAt)
        // An order has its SIM polled.
        plan(sim, place, assignedAt)
      }
      const firstUse = sim.bursts[0]?.start
      if (sim.activationAt === null && firstUse !== undefined) {
        sim.activationAt = Math.round(firstUse)
        sim.unfound.set("first use", sim.activationAt)
      }
      for (const percent of thresholds) {
        const bytes = Math.ceil((sim.allowance * percent) / 100)
        const at = sim.base < bytes ? reaches(sim, bytes) : undefined
        if (at === undefined) continue
        sim.unfound.set(percent, at)
        if (settings.notified.includes(percent)) crossings.push(Math.ceil(at) + 1, place, percent)
      }
    }
  }

  const poll = (sim: Sim, place: number, now: number): number => {
    const one = listed(sim, now)
    const limits = { ...settings, spacing: meter.spacing(settings, now) }
    const seen = Polling.observed([ordered(sim, thresholds)], [one], { telco: "", now, before: sim.state })
    const wantsNetwork = Polling.wantsNetwork(sim.state, seen, limits, now)
    const wantsProfile = Polling.wantsProfile(sim.state, limits, now)
    const { network, profile } = sim.state
    sim.state = {
      ...sim.state,
      polledAt: now,
      packages: Polling.remembered(seen, { ...sim.state, packages: {} }, () => true, now),
      network: wantsNetwork ? { ...network, polledAt: now } : network,
      profile: wantsProfile ? { ...profile, polledAt: now } : profile
    }
    const asksUsage = UsageComparison.isDue(sim.state.usage, sim.state.packages, now)
    if (asksUsage) sim.state = { ...sim.state, usage: UsageComparison.comparedTo(now - (now % Usage.DAY)) }
    if (one.activationAt !== null) found(sim, "first use", now)
    for (const percent of thresholds) if (one.usedBytes * 100 >= sim.allowance * percent) found(sim, percent, now)
    calls.packages += 1
    calls.locations += wantsNetwork ? 1 : 0
    calls.profiles += wantsProfile ? 1 : 0
    calls.usages += asksUsage ? 1 : 0
    const dueAt = PollSchedule.next(seen.flatMap(Polling.pack(new Map())), limits, now)
    if (dueAt !== null) plan(sim, place, dueAt)
    const made = 1 + (wantsNetwork ? 1 : 0) + (wantsProfile ? 1 : 0) + (asksUsage ? 1 : 0)
    meter.count(made, now)
    return made
  }

  let now = 0
  for (let day = 0; day < days; day++) {
    const end = (day + 1) * Usage.DAY
    begin(day * Usage.DAY)
    for (;;) {
      const [due, crossing] = [polls.first, crossings.first]
      const at = Math.max(now, due)
      if (Math.min(at, crossing) >= end) break
      if (crossing <= at) {
        const { place, value } = crossings.take()
        const sim = sims[place]
        if (sim === undefined) continue
        notifications += 1
        found(sim, "first use", crossing)
        found(sim, value, crossing)
        plan(sim, place, crossing)
      } else {
        const { place, value } = polls.take()
        const sim = sims[place]
        // A SIM that is due earlier or later by now has another place in the queue.
        if (sim === undefined || sim.version !== value) continue
        if (at >= SETTLING) longestWait = Math.max(longestWait, at - due)
        now = at + (poll(sim, place, Math.ceil(at)) * 1_000) / callsPerSecond
      }
    }
    now = Math.max(now, end)
  }
  return { lateness, calls, notifications, longestWait }
}
