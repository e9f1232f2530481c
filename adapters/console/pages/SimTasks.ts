/** The day's tasks of a SIM: what each takes, what it would do, and what does it. */
import { Label, Operator, Tags, TextLimit, Withdrawal } from "simplan/ports"
import * as Api from "../Api.ts"
import * as Conflicts from "../Conflicts.ts"
import * as Location from "../Location.ts"
import * as Replay from "../Replay.ts"
import * as Search from "../Search.tsx"
import * as Selling from "../Selling.ts"
import type { Task } from "../Task.tsx"
import type * as Types from "../Types.ts"
import * as Words from "../Words.ts"

/** What the tasks go by. */
export interface Of {
  /** The id of the organization. */
  readonly of: string
  /** The path of the organization, and that of a folder's SIM. */
  readonly organization: string
  readonly path: (folder: string) => string
  readonly sim: {
    readonly iccid: string
    readonly label: string
    readonly is_esim: boolean
    readonly status: string
    readonly reason: { readonly code: string }
    readonly lpa: string | null
    readonly tags: ReadonlyArray<string>
  }
  readonly subscription: { readonly paused_at: string | null } | null
  readonly attachments: ReadonlyArray<{
    readonly plan_attachment_id: string
    readonly state: string
    readonly plan: { readonly name: string }
  }>
}

const { packages } = Selling

const DRY_RUN = "dry_run=true"

/** Adds a plan to the SIM: its first one sells it. */
const topUp = (of: Of): Task => {
  const isSale = of.subscription === null
  const bodyOf = ({ metadata, plan }: Readonly<Record<string, string>>) => ({
    plan_id: plan,
    metadata: metadata ?? "",
    iccid: of.sim.iccid
  })
  type Answer = Types.Previewed<"organizationSubscriptions", "create">
  return {
    title: isSale ? "Sell a plan" : "Top up",
    fields: async () => {
      const found = await Selling.forSale(of.organization, { label: of.sim.label })
      if (found.plans.length === 0) throw new Error(`The organization has no plan of the label ${of.sim.label}.`)
      return [Selling.planField(found), Selling.noteField]
    },
    preview: async (values) => {
      const path = `${of.organization}/subscription?${DRY_RUN}`
      return Selling.ordered((await Api.call<Answer>("POST", path, { body: bodyOf(values) })).preview)
    },
    does: async (values, key) => {
      await Api.call("POST", `${of.organization}/subscription`, { body: bodyOf(values), key })
      return isSale ? "The plan is sold on the SIM." : "The plan is added to the SIM."
    }
  }
}

const service = ({ path }: Of, verb: "pause" | "resume"): Task => ({
  title: verb === "pause" ? "Pause" : "Resume",
  about: "A pause stops the service, and not the time: plans go on towards their ends.",
  preview: async () => {
    type Answer = Types.Previewed<"organizationSubscriptions", "pause" | "resume">
    const { preview } = await Api.call<Answer>("POST", `${path("subscriptions")}/${verb}?${DRY_RUN}`)
    if (!preview.changed) return ["Nothing would change: it is so already."]
    return [`The telco would ${verb === "pause" ? "stop" : "start"} the service of the SIM.`]
  },
  does: async (_, key) => {
    await Api.call("POST", `${path("subscriptions")}/${verb}`, { key })
    return verb === "pause" ? "The subscription is paused." : "The subscription is resumed."
  }
})

const ENDED = ["SUSPENDED", "EXPIRED"]

const suspension = ({ attachments, path }: Of): Task => {
  const pathOf = ({ plan }: Readonly<Record<string, string>>) =>
    `${path("subscriptions")}/plan-attachments/${encodeURIComponent(plan ?? "")}/suspend`
  return {
    title: "Suspend a plan",
    isDangerous: true,
    about: "For good: a suspended plan gives service never again.",
    fields: () =>
      Promise.resolve([
        {
          name: "plan",
          label: "Plan",
          choices: attachments
            .filter(({ state }) => !ENDED.includes(state))
            .map(({ plan, plan_attachment_id: value, state }) => ({ value, title: `${plan.name} (${state})` }))
        }
      ]),
    preview: async (values) => {
      type Answer = Types.Previewed<"organizationSubscriptions", "suspend">
      const { preview } = await Api.call<Answer>("POST", `${pathOf(values)}?${DRY_RUN}`)
      const never = preview.ended_occurrences
      return [
        packages("stop", preview.packages),
        ...(never === 0 ? [] : [`${never} that are still to come would never be ordered.`])
      ]
    },
    does: async (values, key) => {
      await Api.call("POST", pathOf(values), { key })
      return "The plan is suspended."
    }
  }
}

const replacement = ({ of, path }: Of): Task => {
  type Answer = Types.Previewed<"organizationSubscriptions", "replace">
  return {
    title: "Move to another eSIM",
    about: "For a customer whose eSIM was deleted or whose card is lost. The SIM is withdrawn.",
    preview: async () => {
      const { data, preview } = await Api.call<Answer>("POST", `${path("subscriptions")}/replace?${DRY_RUN}`)
      return [
        `The subscription would move to a free eSIM of the label, such as ${data.esim.iccid}.`,
        packages("order", preview.packages),
        packages("cancel", preview.cancelled_packages),
        "Data that is used until then is taken off what goes along."
      ]
    },
    does: async (_, key) => {
      const { data } = await Api.call<Answer>("POST", `${path("subscriptions")}/replace`, { key })
      const { iccid } = data.esim
      // The page leads to the new one: its QR code is what the customer needs next.
      Location.go(Search.simOf({ iccid, organization_id: of }))
      return `The subscription has moved to the eSIM ${iccid}.`
    }
  }
}

/** How many of the last digits of a SIM's ICCID are typed as its name. */
const LAST = 6

const deletion = ({ path, sim }: Of): Task => {
  type Answer = Types.Previewed<"organizationSubscriptions", "remove">
  return {
    title: "Delete the subscription",
    isDangerous: true,
    about: "The SIM is free for another one then.",
    preview: async () => {
      const { preview } = await Api.call<Answer>("DELETE", `${path("subscriptions")}?${DRY_RUN}`)
      return [packages("cancel", preview.packages)]
    },
    typed: () => sim.iccid.slice(-LAST),
    does: async () => {
      await Api.call("DELETE", path("subscriptions"))
      return "The subscription is deleted."
    }
  }
}

const sms = ({ path }: Of): Task => ({
  title: "Send an SMS",
  fields: () =>
    Promise.resolve([
      { name: "from", label: "From", longest: 16 },
      { name: "message", label: "Text", longest: 1_530 }
    ]),
  preview: () => Promise.resolve(["The telco would send it at once."]),
  does: async (values, key) => {
    type Answer = Types.Answer<"organizationSubscriptions", "sendSms">
    const { segments } = await Api.call<Answer>("POST", `${path("subscriptions")}/send-sms`, { body: values, key })
    return `The SMS was sent in ${segments === 1 ? "one segment" : `${segments} segments`}.`
  }
})

const correction = (
  { path, sim }: Of,
  title: string,
  done: string,
  fields: Task["fields"],
  bodyOf: (
    values: Readonly<Record<string, string>>
  ) => Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
): Task => {
  const checked = async (values: Readonly<Record<string, string>>) => {
    const body = bodyOf(values)
    const began = { label: sim.label, lpa_string: sim.lpa ?? "", tags: sim.tags }
    const now = await Api.read<Types.Data<"organizationSims", "get">>(path("sims"))
    const { reason: _, status: __, ...wanted } = body
    Conflicts.refuse(began, { label: now.label, lpa_string: now.lpa ?? "", tags: now.tags }, wanted)
    return { body, version: now.version }
  }
  type Answer = Types.Previewed<"organizationSims", "update">
  return {
    title,
    ...(fields !== undefined && { fields }),
    preview: async (values) => {
      const { body } = await checked(values)
      const { preview } = await Api.call<Answer>("PATCH", `${path("sims")}?${DRY_RUN}`, { body })
      const changed = preview.changed.map((name) => Words.spaced(name)).join(", ")
      return [changed === "" ? "Nothing would change: it is so already." : `This would change: ${changed}.`]
    },
    does: async (values) => {
      await Conflicts.edit(
        () => checked(values),
        ({ body, version: ifVersion }) => Api.call("PATCH", path("sims"), { body, ifVersion })
      )
      return done
    }
  }
}

const chosen = (values: ReadonlyArray<string>) => values.map((value) => ({ value, title: value }))

const corrections = (of: Of): ReadonlyArray<Task> => {
  const code = { name: "lpa_string", label: "Activation code", longest: TextLimit.LPA }
  const label = {
    name: "label",
    label: "Label",
    choices: chosen([of.sim.label, ...Label.labels.filter((one) => one !== of.sim.label)])
  }
  const reason = { name: "reason", label: "Why", choices: chosen(Withdrawal.reasons) }
  const codes = correction(
    of,
    "Correct the activation code",
    "The activation code is corrected.",
    () => Promise.resolve([code]),
    (values) => values
  )
  const labels = correction(
    of,
    "Correct the label",
    "The label is corrected.",
    () => Promise.resolve([label]),
    (values) => values
  )
  const withdrawal: Task = {
    ...correction(
      of,
      "Withdraw",
      "The SIM is withdrawn.",
      () => Promise.resolve([reason]),
      (values) => ({ ...values, status: "withdrawn" })
    ),
    isDangerous: true
  }
  const restoration = correction(of, "Put back into stock", "The SIM is in stock.", undefined, () => ({
    status: "available"
  }))
  const tags = {
    name: "tags",
    label: `Tags, separated by ${Tags.SEPARATOR}`,
    optional: true,
    longest: Tags.MOST * (TextLimit.TAG + 2),
    initial: of.sim.tags.join(`${Tags.SEPARATOR} `)
  } as const
  const tagging = correction(
    of,
    "Set the tags",
    "The tags are set.",
    () => Promise.resolve([tags]),
    (values) => ({ tags: Tags.ofText(values["tags"] ?? "").map((tag) => tag.trim()) })
  )
  return [
    tagging,
    ...(of.sim.is_esim ? [codes] : []),
    ...(of.subscription === null ? [labels, of.sim.status === "withdrawn" ? restoration : withdrawal] : [])
  ]
}

const note = ({ path }: Of): Task => ({
  title: "Leave a note",
  fields: () => Promise.resolve([{ name: "note", label: "Note", longest: TextLimit.REASON }]),
  preview: () => Promise.resolve(["The SIM's history would have it, with your name, for operators alone."]),
  does: async (body, key) => {
    await Api.call("POST", `${path("sims")}/notes`, { body, key })
    return "The note is left."
  }
})

const replay = ({ organization, sim }: Of): Task => ({
  title: "Replay its events",
  about: "Sends the events about the SIM to the endpoints of the organization once more.",
  fields: () =>
    Promise.resolve([{ name: "status", label: "Those that are", choices: chosen(["failed", "delivered"]) }]),
  preview: async (values) => [await Replay.count(organization, { ...values, iccid: sim.iccid })],
  does: (values) => Replay.all(organization, { ...values, iccid: sim.iccid })
})

/** The tasks that the SIM has now. */
export const of = (of: Of): ReadonlyArray<Task> => {
  const { attachments, subscription } = of
  if (subscription === null)
    return [...(of.sim.reason.code === "free" ? [topUp(of)] : []), note(of), ...corrections(of), replay(of)]
  return [
    topUp(of),
    service(of, subscription.paused_at === null ? "pause" : "resume"),
    ...(attachments.some(({ state }) => !ENDED.includes(state)) ? [suspension(of)] : []),
    replacement(of),
    sms(of),
    note(of),
    ...corrections(of),
    replay(of),
    ...(Api.allows(Operator.ofDeletion) ? [deletion(of)] : [])
  ]
}
