/**
 * A telco of plain functions over books in memory, which can do wrong what the suite observes. Its
 * calls can be lost, late and refused, by hooks that are plain functions too.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { type Telco, TelcoRefused, TelcoUnavailable } from "simplan/promise"
import type * as TelcoSuite from "../../../src/testing/TelcoSuite.ts"

/** A mistake that a telco may make. */
export type Mistake =
  | "does a call again that comes again"
  | "creates what was cancelled before"
  | "forgets what it has refused"
  | "names a package anew once its times are known"

type Fault = "lose request" | "lose answer" | "do late" | "refuse"

interface Kept {
  id: string
  isCancelled: boolean
  start: Date | null
}

const LATE_MILLIS = 100

export const make = (mistake: Mistake | null = null) => {
  const packages = new Map<string, Kept>()
  const extra: Array<string> = []
  const messages: Array<{ readonly id: string; readonly iccid: string; readonly text: string }> = []
  const plans = new Map<string, boolean>()
  const done = new Set<string>()
  const refused = new Set<string>()
  let next: { readonly fault: Fault; readonly operation: TelcoSuite.Operation } | null = null
  let ids = 0

  /** Does the work, with what befalls it; `key` is what the call is idempotent by. */
  const call = async <A>(operation: TelcoSuite.Operation, key: string, work: () => A): Promise<A> => {
    const fault = next?.operation === operation ? next.fault : null
    if (fault !== null) next = null
    if (refused.has(`${operation} ${key}`)) throw new TelcoRefused("It was refused before")
    switch (fault) {
      case "refuse":
        if (mistake !== "forgets what it has refused") refused.add(`${operation} ${key}`)
        throw new TelcoRefused("It is refused")
      case "lose request":
        throw new TelcoUnavailable("The request is lost")
      case "lose answer":
        work()
        throw new TelcoUnavailable("The answer is lost")
      case "do late":
        await sleep(LATE_MILLIS)
        return work()
      case null:
        return work()
    }
  }

  /** Does something once for each key. */
  const once = (key: string, act: () => void): void => {
    if (!done.has(key) || mistake === "does a call again that comes again") act()
    done.add(key)
  }

  const functions: Telco = {
    createPackage: ({ packageId }) =>
      call("createPackage", packageId, () => {
        const found = packages.get(packageId)
        if (found?.isCancelled && mistake !== "creates what was cancelled before") throw new TelcoRefused("Cancelled")
        if (found !== undefined && !found.isCancelled) {
          if (mistake === "does a call again that comes again") extra.push(packageId)
          const id =
            mistake === "names a package anew once its times are known" && found.start ? `${found.id}+` : found.id
          return { telcoPackageId: id, activationAt: found.start }
        }
        ids += 1
        const made = { id: `P${ids}`, isCancelled: false, start: null }
        packages.set(packageId, made)
        return { telcoPackageId: made.id }
      }),
    suspendPackage: async ({ key, packageId }) => call("suspendPackage", key ?? packageId, () => undefined),
    cancelPackage: async ({ key, packageId }) =>
      call("cancelPackage", key ?? packageId, () => {
        packages.set(packageId, { id: "", start: null, ...packages.get(packageId), isCancelled: true })
      }),
    sendSms: async ({ iccid, messageId, text }) =>
      call("sendSms", messageId, () => once(messageId, () => messages.push({ id: messageId, iccid, text }))),
    releaseProfile: async ({ key }) => call("releaseProfile", key, () => undefined),
    setMobilePlan: async ({ applied, iccid, key }) =>
      call("setMobilePlan", key, () => once(key, () => plans.set(iccid, applied)))
  }

  const fail = (fault: Fault) => (operation: TelcoSuite.Operation) => {
    next = { fault, operation }
  }

  const observe: TelcoSuite.Observe<never> = {
    packages: (of) =>
      of.filter((id) => packages.get(id)?.isCancelled === false).length + extra.filter((id) => of.includes(id)).length,
    messages: async (iccid, text) => messages.filter((one) => one.iccid === iccid && one.text === text).length,
    mobilePlan: (iccid) => plans.get(iccid) ?? false
  }

  const faults: TelcoSuite.Faults<never> = {
    loseRequest: fail("lose request"),
    loseAnswer: async (operation) => fail("lose answer")(operation),
    doLate: (operation) => {
      fail("do late")(operation)
      return () => sleep(LATE_MILLIS + 50)
    },
    refuse: fail("refuse"),
    reportTimes: (packageId) => {
      const found = packages.get(packageId)
      if (found !== undefined) found.start = new Date("2030-01-01T00:00:00Z")
    }
  }

  return { functions, observe, faults }
}
