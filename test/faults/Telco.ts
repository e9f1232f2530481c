/** The simulated telco as a process of its own, which keeps its books when it is killed. */
import { ask, field, list, text } from "./Asking.ts"
import * as Cluster from "./Cluster.ts"
import type { Session } from "./Database.ts"

export const KEY = "faults-telco-key-0123456789"

export interface Books {
  /** Those that are not cancelled. */
  readonly packages: ReadonlyArray<{
    readonly packageId: string
    readonly iccid: string
    readonly status: string
    readonly dataMegaBytes: number
  }>
  readonly messages: ReadonlyArray<{ readonly text: string }>
  readonly mobilePlans: ReadonlyMap<string, boolean>
  /** Whether a SIM has service, where that was ever set. */
  readonly services: ReadonlyMap<string, boolean>
  /**
   * Whether the telco knows idempotency keys. Without them a message whose answer was lost is
   * refused when it is asked for again, though it may have been sent.
   */
  readonly hasKeys: boolean
}

type Faults = ReadonlyArray<Readonly<Record<string, unknown>>>

export interface Telco extends Omit<Cluster.Member, "end"> {
  /** Replaces the faults; nothing where the telco does not listen just now. */
  readonly setFaults: (faults: Faults) => Promise<void>
  /**
   * Has it refuse so many calls of each kind that ends something: cancellations, suspensions and
   * releases of profiles, and pauses and resumptions, which end in the same way. These refusals
   * stay when other faults come and go. A telco that has none of them ignores it.
   */
  readonly refuseEnds: (times: number) => Promise<void>
  /** The settings by which servers find it. */
  readonly env: Readonly<Record<string, string>>
  /** How long a late effect may take to be undone, in milliseconds. */
  readonly lateness: number
  /**
   * Its books, with simplan's names of the packages, which are in the database where the telco has
   * no place for them.
   */
  readonly books: (session: Session) => Promise<Books>
}

/** So many refusals are every one. */
export const EVERY = Number.POSITIVE_INFINITY

/**
 * The calls that end something. A job that does them goes on until the telco has refused it three
 * times (rule S6).
 */
const ENDS = ["cancelPackage", "suspendPackage", "releaseProfile", "setService"]

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
  let spell: Faults = []
  let lasting: Faults = []
  const report = async (): Promise<void> => {
    const faults = [...spell, ...lasting]
    await ask(`${member.url}/simulator/faults`, { method: "PUT", headers, body: { faults } })
  }
  return {
    ...member,
    env: { SIMPLAN_TELCO_URL: member.url, SIMPLAN_TELCO_KEY: KEY },
    lateness: 0,
    setFaults: (faults) => {
      spell = faults
      return report()
    },
    refuseEnds: (times) => {
      lasting = times === 0 ? [] : ENDS.map((on) => ({ fault: "refuse", on, ...(times < EVERY && { times }) }))
      return report()
    },
    books: async () => {
      const answer = await ask(`${member.url}/simulator/books`, { method: "GET", headers }, 60_000)
      if (answer?.status !== 200) throw new Error(`The telco does not show its books: ${JSON.stringify(answer)}`)
      return {
        packages: list(answer.body, "packages").flatMap((one) =>
          text(one, "status") === "cancelled"
            ? []
            : [
                {
                  packageId: text(one, "package_id"),
                  iccid: text(one, "iccid"),
                  status: text(one, "status"),
                  dataMegaBytes: Number(field(one, "data_mega_bytes"))
                }
              ]
        ),
        messages: list(answer.body, "messages").map((one) => ({ text: text(one, "text") })),
        mobilePlans: new Map(
          list(answer.body, "mobile_plans").map((one) => [text(one, "iccid"), field(one, "applied") === true])
        ),
        services: new Map(
          list(answer.body, "services").map((one) => [text(one, "iccid"), field(one, "active") === true])
        ),
        hasKeys: true
      }
    }
  }
}
