/** The simulated telco as a process of its own, which keeps its books when it is killed. */
import { ask, field, list, text } from "./Asking.ts"
import * as Cluster from "./Cluster.ts"

export const KEY = "faults-telco-key-0123456789"

export interface Books {
  /** Those that are not cancelled. */
  readonly packages: ReadonlyArray<{ readonly packageId: string; readonly iccid: string; readonly status: string }>
  readonly messages: ReadonlyArray<{ readonly text: string }>
  readonly mobilePlans: ReadonlyMap<string, boolean>
}

export interface Telco extends Cluster.Member {
  /** Replaces the faults; nothing where the telco does not listen just now. */
  readonly setFaults: (faults: ReadonlyArray<Readonly<Record<string, unknown>>>) => Promise<void>
  readonly books: () => Promise<Books>
}

const headers = { authorization: `Bearer ${KEY}` }

export const start = async (place: Cluster.Place, onCrash: (message: string) => void): Promise<Telco> => {
  const port = await Cluster.freePort()
  const member = Cluster.member({
    ...place,
    name: "the telco",
    args: ["telco", "--port", String(port)],
    env: { SIMPLAN_TELCO_KEY: KEY },
    last: /\/simulator\/faults .*\n$/,
    port,
    onCrash
  })
  return {
    ...member,
    setFaults: async (faults) => {
      await ask(`${member.url}/simulator/faults`, { method: "PUT", headers, body: { faults } })
    },
    books: async () => {
      const answer = await ask(`${member.url}/simulator/books`, { method: "GET", headers }, 60_000)
      if (answer?.status !== 200) throw new Error(`The telco does not show its books: ${JSON.stringify(answer)}`)
      return {
        packages: list(answer.body, "packages").flatMap((one) =>
          text(one, "status") === "cancelled"
            ? []
            : [{ packageId: text(one, "package_id"), iccid: text(one, "iccid"), status: text(one, "status") }]
        ),
        messages: list(answer.body, "messages").map((one) => ({ text: text(one, "text") })),
        mobilePlans: new Map(
          list(answer.body, "mobile_plans").map((one) => [text(one, "iccid"), field(one, "applied") === true])
        )
      }
    }
  }
}
