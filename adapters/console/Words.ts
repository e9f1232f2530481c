/** What the API names for programs, in words for people. */

/** How a state is: each has a colour and a shape of its own. */
export type Tone = "good" | "bad" | "waits" | "idle"

/** `CancelPackages` and `data_used` as words. */
export const spaced = (name: string): string =>
  name
    .replaceAll("_", " ")
    .replace(/\B[A-Z]/g, " $&")
    .toLowerCase()

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

const WORK: Readonly<Record<string, string>> = {
  Provision: "Set up the SIM",
  CreatePackage: "Order a package",
  SetService: "Pause or resume the service",
  ReturnSim: "Return an eSIM to its supplier",
  ReviewAccount: "Account at a supplier",
  NotifyAttachment: "Tell about a plan",
  NotifyAttachments: "Tell about plans",
  SendSms: "Send an SMS",
  UsageDiffers: "Usage differs from the telco's"
}

const MEGABYTE = 1_048_576

/** Bytes as megabytes with one digit, such as `12,345.6 MB`. */
export const megabytes = (bytes: number): string =>
  `${(bytes / MEGABYTE).toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 })} MB`

/** The data of a plan, such as `12,000 MB`. */
export const allowance = (megaBytes: number): string => `${megaBytes.toLocaleString("en")} MB`

/** A UTC month by an instant in it, such as `November 2026`. */
export const month = (at: number): string =>
  new Date(at).toLocaleString("en", { month: "long", year: "numeric", timeZone: "UTC" })

const REGIONS = new Intl.DisplayNames("en", { type: "region" })

const COUNTRY = /^[A-Z]{2}$/

/** A country by its code, such as `France (FR)`. */
export const country = (code: string): string => (COUNTRY.test(code) ? `${REGIONS.of(code)} (${code})` : code)

/** What a job does. */
export const work = (kind: string): string => WORK[kind] ?? capital(spaced(kind))

const THINGS: Readonly<Record<string, string>> = {
  api_key: "API key",
  event_handler: "event handler",
  plan_attachment: "plan",
  sim: "SIM",
  webhook_endpoint: "endpoint"
}

const DONE: Readonly<Record<string, string>> = {
  "plan_attachment.create": "Plan added",
  "sim.import": "SIMs imported",
  "sim.report": "Telco reported",
  "sim.note": "Note left",
  "sim.send_sms": "SMS sent",
  "sim.show_activation_code": "Activation code shown",
  "sim.set_label": "Label changed",
  "sim.set_activation_code": "Activation code changed",
  "sim.restore": "SIM put back into stock",
  "sim.withdraw": "SIM withdrawn",
  "sim.return": "SIM returned to its supplier",
  "subscription.replace": "Moved to another SIM"
}

/** The verbs that get no `-ed`. */
const PAST: Readonly<Record<string, string>> = { apply: "applied", set: "set", send: "sent", show: "shown" }

const past = (verb: string): string => PAST[verb] ?? (verb.endsWith("e") ? `${verb}d` : `${verb}ed`)

/** What an audit entry says was done, such as `subscription.create`. */
export const action = (name: string): string => {
  const [thing = "", does = ""] = name.split(".")
  const [verb = "", ...what] = does.split("_")
  return DONE[name] ?? capital([THINGS[thing] ?? spaced(thing), ...what, past(verb)].join(" "))
}

interface State {
  readonly words: string
  readonly tone: Tone
}

const STATES: Readonly<Record<string, State>> = {
  ACTIVE: { words: "active", tone: "good" },
  CREATED: { words: "not begun", tone: "waits" },
  PENDING_FOR_FIRST_USE: { words: "waits for first use", tone: "waits" },
  EXPIRED: { words: "over", tone: "idle" },
  SUSPENDED: { words: "suspended", tone: "bad" },
  delivered: { words: "delivered", tone: "good" },
  pending: { words: "pending", tone: "waits" },
  failed: { words: "failed", tone: "bad" }
}

/** A state of a plan or of a delivery. */
export const state = (name: string): State => STATES[name] ?? { words: spaced(name), tone: "idle" }

/** What holds of a SIM, in a word or two, by the code of its verdict. */
const STANDINGS: Readonly<Record<string, State>> = {
  works: { words: "works", tone: "good" },
  throttled: { words: "throttled", tone: "waits" },
  waits_for_first_use: { words: "ready", tone: "good" },
  free: { words: "free", tone: "idle" },
  withdrawn: { words: "withdrawn", tone: "idle" },
  replaced: { words: "replaced", tone: "idle" },
  provisioning: { words: "being set up", tone: "waits" },
  releasing: { words: "being freed", tone: "waits" },
  paused: { words: "paused", tone: "waits" },
  resuming: { words: "resuming", tone: "waits" },
  waits_for_order: { words: "waits for its order", tone: "waits" },
  waits_for_start: { words: "not begun", tone: "waits" }
}

export const standing = (code: string): State => STANDINGS[code] ?? { words: spaced(code), tone: "bad" }
