/**
 * A model of an SM-DP+: its profiles, their states (SGP.22 section 3.1.6), and what the functions
 * of ES2+ make of them.
 */

export type State =
  | "Available"
  | "Allocated"
  | "Linked"
  | "Confirmed"
  | "Released"
  | "Downloaded"
  | "Installed"
  | "Error"
  | "Unavailable"

export const functions = ["downloadOrder", "confirmOrder", "cancelOrder", "releaseProfile"] as const

export type Function = (typeof functions)[number]

export interface Profile {
  state: State
  matchingId: string | null
}

export interface Request {
  readonly iccid: string
  readonly callId: string
  readonly matchingId?: string
  readonly releaseFlag?: boolean
  readonly finalProfileStatusIndicator?: string
}

/** The codes of a failure, or what a successful call returns. */
export type Answer = { readonly failed: readonly [subject: string, reason: string] } | { readonly matchingId?: string }

export interface Options {
  /** What the cancellation of an Available profile answers. */
  readonly withoutOrder?: "success" | "8.2.1/3.5" | "8.2.1/3.3" | "8.2.6/3.10"
  /**
   * Whether a call that comes again with its identifier has the first answer and no further effect.
   */
  readonly remembers?: boolean
}

const failed = (code: string): Answer => {
  const [subject = "", reason = ""] = code.split("/")
  return { failed: [subject, reason] }
}

export class Smdp {
  readonly profiles = new Map<string, Profile>()
  /** The calls that had an effect, or were refused. */
  readonly calls: Array<{ readonly name: Function; readonly request: Request; readonly answer: Answer }> = []
  readonly #remembered = new Map<string, Answer>()
  readonly #options: Options
  #made = 0

  constructor(options: Options = {}) {
    this.#options = options
  }

  add(iccid: string, state: State, matchingId: string | null = null): void {
    this.profiles.set(iccid, { state, matchingId })
  }

  call(name: Function, request: Request): Answer {
    const before = this.#options.remembers ? this.#remembered.get(request.callId) : undefined
    if (before !== undefined) return before
    const profile = this.profiles.get(request.iccid)
    const answer = profile === undefined ? failed("8.2.1/3.9") : this[name](profile, request)
    this.#remembered.set(request.callId, answer)
    this.calls.push({ name, request, answer })
    return answer
  }

  private downloadOrder(profile: Profile, _: Request): Answer {
    if (profile.state !== "Available") return failed("8.2.1/3.3")
    profile.state = "Allocated"
    return {}
  }

  private confirmOrder(profile: Profile, { matchingId, releaseFlag }: Request): Answer {
    const isUsed = [...this.profiles.values()].some((one) => one.matchingId !== null && one.matchingId === matchingId)
    if (isUsed) return failed("8.2.6/3.3")
    if (profile.state !== "Allocated" && profile.state !== "Linked") return failed("8.2.1/3.3")
    this.#made += 1
    profile.matchingId = matchingId ?? `CHOSEN-${this.#made}`
    profile.state = releaseFlag ? "Released" : "Confirmed"
    return { matchingId: profile.matchingId }
  }

  private cancelOrder(profile: Profile, { finalProfileStatusIndicator, matchingId }: Request): Answer {
    if (profile.state === "Available") {
      const { withoutOrder = "success" } = this.#options
      return withoutOrder === "success" ? {} : failed(withoutOrder)
    }
    if (["Downloaded", "Installed", "Unavailable"].includes(profile.state)) return failed("8.2.1/3.3")
    const isOther = profile.matchingId !== null && matchingId !== undefined && matchingId !== profile.matchingId
    if (isOther) return failed("8.2.6/3.10")
    profile.state = finalProfileStatusIndicator === "Unavailable" ? "Unavailable" : "Available"
    profile.matchingId = null
    return {}
  }

  private releaseProfile(profile: Profile, _: Request): Answer {
    if (profile.state !== "Confirmed") return failed("8.2.1/3.5")
    profile.state = "Released"
    return {}
  }
}
