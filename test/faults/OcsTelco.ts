/**
 * The fake of an online charging system in place of the simulated telco. It knows no idempotency
 * keys, so what it did for a server that was killed has to be found by what it has.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as Fake from "../fakes/ocs/Fake.mjs"
import { field, text } from "./Asking.ts"
import { MEGABYTE } from "./Clients.ts"
import type { Telco } from "./Telco.ts"
import * as Tenant from "./Tenant.ts"

const TOKEN = "faults-ocs-token-0123456789"

/** The operation that makes up a call of the port. */
const operations: Readonly<Record<string, string>> = {
  createPackage: "affectPackageToSubscriber",
  sendSms: "sendMtSms",
  setMobilePlan: "modifySubscriberMobilePlan",
  setService: "modifySubscriberStatus"
}

/** A fault of the simulated telco, as one of the system's. */
const faultOf = (fault: Readonly<Record<string, unknown>>): Fake.Fault => {
  const operation = operations[text(fault, "on")]
  switch (text(fault, "fault")) {
    case "refuse":
      return { fault: "refuse", code: 14, times: Number(field(fault, "times")), ...(operation && { operation }) }
    case "answer lost":
      return { fault: "lose_answer", at: "start", times: null }
    case "slow":
      return { fault: "slow", millis: Number(field(fault, "delay_millis")), times: null }
    default:
      return { fault: "lose_request", times: null }
  }
}

/** How long a call may take, in milliseconds: several of them make up one of the port. */
const TIMEOUT = 400

export const start = async (cwd: string): Promise<Telco> => {
  const ocs = await Fake.start({ token: TOKEN })
  ocs.addSubscribers({ iccids: Tenant.iccids })
  writeFileSync(join(cwd, "ocs.token"), TOKEN)
  const settings = {
    telcos: {
      ocs: {
        kind: "ocs",
        url: ocs.url,
        url_v2: ocs.urlV2,
        token: { file: "ocs.token" },
        reseller_id: 1,
        zones: { Green: { EUROPE: 28 } },
        mobile_plan_id: 10,
        calls_per_second: 1_000,
        calls_at_once: 32,
        timeout: `${TIMEOUT}ms`,
        // A call without an answer is done within `lateness`. What would undo it waits so long.
        watch: "1m"
      }
    },
    routes: [{ packages: "ocs" }]
  }
  const file = join(cwd, "telcos.json")
  writeFileSync(file, JSON.stringify(settings))
  let isOpen = true
  return {
    name: "the telco",
    url: ocs.origin,
    env: { SIMPLAN_TELCO_FILE: file },
    lateness: 40_000,
    kill: async () => ocs.cut(),
    away: async (millis) => {
      ocs.setFaults([faultOf({ fault: "unavailable" })])
      await sleep(millis)
      ocs.setFaults([])
    },
    freeze: async () => {},
    listening: async () => {},
    stop: async () => {
      if (isOpen) await ocs.close()
      isOpen = false
      return 0
    },
    output: () => "",
    refuseEnds: async () => {},
    setFaults: async (faults) => ocs.setFaults(faults.map(faultOf)),
    books: async (session) => {
      const rows = await session.query(
        "select key, external from simplan.telco_journal where kind = 'package' and external is not null"
      )
      const names = new Map(rows.map((row) => [String(row["external"]), String(row["key"])]))
      const { messages, packages, subscribers } = ocs.books()
      return {
        packages: packages.flatMap(({ allowanceBytes, deletedAt, iccid, id, isActive }) =>
          deletedAt === null
            ? [
                {
                  packageId: names.get(String(id)) ?? `unknown ${id}`,
                  iccid,
                  status: isActive ? "active" : "suspended",
                  dataMegaBytes: allowanceBytes / MEGABYTE
                }
              ]
            : []
        ),
        messages,
        mobilePlans: new Map(subscribers.map(({ iccid, mobilePlanId }) => [iccid, mobilePlanId !== null])),
        services: new Map(subscribers.map(({ iccid, status }) => [iccid, status !== "Suspended"])),
        hasKeys: false
      }
    }
  }
}
