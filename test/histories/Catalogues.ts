/**
 * Random shops whose supplier changes its catalogue (rule P6), and whose customers come several at
 * once (rule I15), from a seed. The simulator sells; what its catalogue says is the run's.
 */
import { Context, Effect, Result } from "effect"
import { Plans, Problems, Sims, Subscriptions } from "simplan"
import { SimulatorBundles } from "simplan/telco-simulator"
import { type Amount, BundleCheck, type Plan, Time, TelcoBundles } from "simplan/ports"
import { Simulation } from "simplan/testing"
import * as Machine from "../../adapters/simulation/Machine.ts"
import type { Around } from "./Planted.ts"

const CODES = ["sim_1GB_7D_FR", "sim_2GB_15D_NORDIC", "sim_1GB_7D_GB"]
const STEPS = 30
const MOST_AT_ONCE = 6

/** How long after a change each plan has been compared: once a day on a clock that stands. */
const COMPARED = Time.DAY + Time.HOUR

/** What came of a run. */
export interface Run {
  /** What does not hold, a line each. */
  readonly problems: ReadonlyArray<string>
  /** How often what has happened. */
  readonly met: ReadonlyMap<string, number>
}

type Bundle = TelcoBundles.Bundle

/** How a catalogue changes: each of them is found by the comparison, but the last two. */
const changes: Readonly<Record<string, (bundle: Bundle) => Bundle | null>> = {
  gone: () => null,
  dearer: ({ price, ...of }) => ({ ...of, price: price && { ...price, units: 3 * price.units } }),
  "other data": ({ dataBytes, ...of }) => ({ ...of, dataBytes: dataBytes && dataBytes / 2 }),
  "other days": ({ days, ...of }) => ({ ...of, days: (days ?? 0) + 1 }),
  "fewer countries": ({ countries, ...of }) => ({ ...of, countries: countries.slice(1) }),
  "a little dearer": ({ price, ...of }) => ({ ...of, price: price && { ...price, units: price.units + 1 } }),
  "another name": (of) => ({ ...of, name: `${of.name}, new` })
}

const whole = SimulatorBundles.all.filter(({ code }) => CODES.includes(code))

const limitOf = ({ price }: Bundle): Amount.Amount | null => price && { ...price, units: 2 * price.units }

/** Whether the plan is to be bought no more, by what is sold now. */
const isChanged = ({ bundle }: Plan.Plan, sold: ReadonlyArray<Bundle>): boolean => {
  if (bundle?.sold === undefined) return false
  const now = sold.find(({ code }) => code === bundle.load)
  if (now === undefined) return true
  const isDear = now.price !== null && bundle.limit !== null && now.price.units > bundle.limit.units
  const isLess = bundle.sold.countries.some((one) => !now.countries.includes(one))
  return isDear || isLess || now.dataBytes !== bundle.sold.dataBytes || now.days !== bundle.sold.days
}

const play = Effect.fnUntraced(function* (seed: number, planted: Around) {
  const next = Machine.generator(seed)
  const random = (bound: number): number => next() % bound
  const oneIn = (number: number): boolean => random(number) === 0
  const pick = <A>(from: ReadonlyArray<A>): A => {
    const found = from[random(from.length)]
    if (found === undefined) throw new Error("nothing to pick from")
    return found
  }
  const met = new Map<string, number>()
  const count = (what: string, times = 1) => void met.set(what, (met.get(what) ?? 0) + times)
  const problems: Array<string> = []

  let sold: ReadonlyArray<Bundle> = whole
  const catalogue: TelcoBundles.TelcoBundles = { telcos: Effect.succeed(["shop"]), of: () => Effect.sync(() => sold) }
  const around: Around = (ports) => planted(Context.add(ports, TelcoBundles.TelcoBundles, catalogue))
  const simulated = yield* Simulation.make({ seed, esims: {}, physicalSims: 0, sellableDays: [null], around })
  const [organizationId] = simulated.organizationIds
  const { use } = simulated
  const plans: Array<string> = []
  for (const bundle of whole) {
    const limit = oneIn(3) ? null : limitOf(bundle)
    const of = { organizationId, telco: "shop", label: "Green", name: null, dryRun: false } as const
    const request = { ...of, bundle: { load: bundle.code, topUpLoad: null, limit } }
    plans.push((yield* use(Plans.Plans.use((one) => one.createFromBundle(request)))).planId ?? "")
  }
  let [stableSince, isFaulty] = [yield* simulated.now, false]

  const sales = () => simulated.telcoRecords(0).filter(({ kind, refusal }) => kind === "sale" && refusal === null)
  const outstanding = Effect.map(simulated.storage.jobs.purchases({ organizationId, limit: 1_000 }), (jobs) =>
    jobs.flatMap(({ jobId, work }) => (work._tag === "BuySim" ? [{ jobId, load: work.load }] : []))
  )
  const page = use(Sims.Sims.use((of) => of.page({ organizationId, label: null, limit: 1_000, after: null })))
  const inService: Array<string> = []
  let bought: ReadonlySet<string> = new Set()
  /** What was ever bought, or is being bought. */
  const purchases = Effect.map(
    outstanding,
    (jobs) =>
      new Set([...bought, ...sales().map(({ key }) => key), ...jobs.map(({ jobId }) => jobId.split(":").at(-1) ?? "")])
  )

  const create = Effect.gen(function* () {
    const planId = pick(plans)
    const plan = yield* use(Plans.Plans.use((of) => of.get({ organizationId, planId })))
    const { items } = yield* page
    const load = plan.bundle?.load
    const free = items.filter(({ allocation, purchase }) => allocation._tag === "Free" && purchase?.load === load)
    const waiting = (yield* outstanding).filter((one) => one.load === load)
    const atOnce = oneIn(2) ? 1 : 2 + random(MOST_AT_ONCE - 1)
    const one = { organizationId, planId, iccid: null, activePeriod: null, metadata: "" }
    const requests = Array.from({ length: atOnce }, () =>
      Subscriptions.Subscriptions.use((of) => Effect.result(of.create(one)))
    )
    const answers = yield* use(Effect.all(requests, { concurrency: "unbounded" }))
    const iccids = answers.flatMap((answer) => (Result.isSuccess(answer) ? answer.success.sim.iccid : []))
    const tags = new Set(answers.flatMap((answer) => (Result.isSuccess(answer) ? [] : answer.failure._tag)))
    count(atOnce > 1 ? "several at once" : "one alone")
    if (new Set([...inService, ...iccids]).size < inService.length + iccids.length) problems.push(`${iccids} are twice`)
    inService.push(...iccids)
    const all = yield* purchases
    const more = all.size - bought.size
    bought = all
    const most = Math.max(0, atOnce - free.length - waiting.length)
    if (more > most)
      problems.push(`${more} purchases for ${atOnce} requests, ${free.length} free, ${waiting.length} outstanding`)
    // What is cheaper than it was, or has more, is compared later.
    if ((yield* simulated.now) - stableSince < COMPARED) return
    const isRefused = isChanged(plan, sold)
    count(isRefused ? "is sold no more" : "is sold")
    if (isRefused && more > 0) problems.push(`${more} of ${load} are bought that has changed`)
    if (!isRefused && tags.has("SoldOut")) problems.push(`${load} is sold, and a request has had SoldOut`)
    if (!isRefused && !isFaulty && iccids.length < atOnce) problems.push(`${[...tags]} for ${load}, which is sold`)
  })

  const change = Effect.gen(function* () {
    const bundle = pick(whole)
    const [what, to] = pick(Object.entries(changes))
    const isBack = oneIn(2)
    const changed = isBack ? bundle : to(bundle)
    sold = [...sold.filter(({ code }) => code !== bundle.code), ...(changed === null ? [] : [changed])]
    stableSince = yield* simulated.now
    count(isBack ? "as before" : what)
  })

  /** The plan becomes the bundle as it is sold now, if it is. */
  const follow = Effect.gen(function* () {
    const planId = pick(plans)
    const plan = yield* use(Plans.Plans.use((of) => of.get({ organizationId, planId })))
    const { load = "", topUpLoad = null } = plan.bundle ?? {}
    const now = sold.find(({ code }) => code === load)
    if (now === undefined) return
    const bundle = { load, topUpLoad, limit: limitOf(now) }
    yield* use(Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle })))
    stableSince = yield* simulated.now
    count("follows")
  })

  const leave = Effect.gen(function* () {
    const iccid = inService.splice(random(Math.max(1, inService.length)), 1)[0]
    if (iccid === undefined) return
    yield* use(Subscriptions.Subscriptions.use((of) => of.remove({ organizationId, iccid })))
    count("deleted")
  })

  const fault = Effect.suspend(() => {
    isFaulty = true
    return simulated.setFault(pick(["answer lost", "slow", "unavailable"]), 1 + random(4))
  })

  for (let step = 0; step < STEPS; step++) {
    const drawn = random(20)
    if (drawn < 9) yield* create
    else if (drawn < 12) yield* change
    else if (drawn < 13) yield* follow
    else if (drawn < 14) yield* leave
    else if (drawn < 16) yield* fault
    else {
      yield* Effect.orDie(simulated.advanceBy(pick([Time.MINUTE, Time.HOUR, COMPARED, 2 * Time.DAY])))
      bought = yield* purchases
    }
  }
  yield* simulated.setFault(null, 0)
  yield* simulated.arrivals
  yield* Effect.orDie(simulated.advanceBy(2 * Time.DAY))
  const open = yield* use(Problems.Problems.use((of) => of.page({ after: null, limit: 1_000 })))
  for (const planId of plans) {
    const plan = yield* use(Plans.Plans.use((of) => of.get({ organizationId, planId })))
    const isListed = open.items.some(({ jobId }) => jobId === BundleCheck.problemId(planId))
    if (isListed !== isChanged(plan, sold)) problems.push(`${plan.terms.name} has ${isListed ? "a" : "no"} problem`)
  }
  const { items } = yield* page
  const here = items.flatMap(({ purchase }) => purchase?.purchaseId ?? [])
  if (
    here.toSorted().join() !==
    sales()
      .map(({ key }) => key)
      .toSorted()
      .join()
  ) {
    problems.push(`${sales().length} eSIMs were sold, and ${here.length} are here`)
  }
  return { problems, met } satisfies Run
})

/** Runs one seed. */
export const run = (seed: number, planted: Around = (ports) => ports): Promise<Run> =>
  Effect.runPromise(Effect.scoped(play(seed, planted)))
