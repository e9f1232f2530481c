/**
 * What is done to all subscriptions or SIMs of an organization that a filter takes: how many they
 * are, and doing it.
 */
import { type BulkAction, Label, Operator, Withdrawal } from "simplan/ports"
import * as Api from "./Api.ts"
import * as Csv from "./Csv.ts"
import * as Runs from "./Runs.ts"
import type { Field, Task } from "./Task.tsx"
import type * as Types from "./Types.ts"
import * as View from "./View.tsx"

/** The fields of a filter by their names in the API; an empty text filters nothing. */
export type Filter = Readonly<Record<string, string>>

export const filled = (filter: Filter): Filter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""))

/** What came of one, or would. */
export type Result = Types.Item<"bulk", "actOnSims"> & Partial<Pick<Types.Item<"bulk", "act">, "subscription_id">>

type Preview = Types.Previewed<"bulk", "act" | "actOnSims">

interface Action {
  readonly name: BulkAction.Action | BulkAction.SimAction
  readonly title: string
  readonly about: string
  /** Follows a number of them. */
  readonly done: string
  /** What goes along with it, by the names of the API. */
  readonly fields?: ReadonlyArray<Field>
  /** The field of the filter that has to be there. */
  readonly needs?: string
  readonly deletes?: true
  /** Whether it ends something. */
  readonly isDangerous?: true
}

/** What is acted on. */
export interface Things {
  /** Of an organization. */
  readonly folder: string
  readonly one: string
  readonly many: string
  readonly actions: ReadonlyArray<Action>
}

export const subscriptions: Things = {
  folder: "subscriptions",
  one: "subscription",
  many: "subscriptions",
  actions: [
    {
      name: "pause",
      title: "Pause all that match",
      about: "A pause stops the service, and not the time: plans go on towards their ends.",
      done: "paused"
    },
    { name: "resume", title: "Resume all that match", about: "They have service again.", done: "resumed" },
    {
      name: "suspend",
      title: "Suspend the plan on all that match",
      about: "For good: a suspended plan gives service never again.",
      done: "without the plan",
      needs: "plan_id",
      isDangerous: true
    },
    {
      name: "delete",
      title: "Delete all that match",
      about: "The SIMs are free for other subscriptions then. Where an eSIM was downloaded it is refused.",
      done: "deleted",
      deletes: true,
      isDangerous: true
    }
  ]
}

const chosen = (name: string, label: string, values: ReadonlyArray<string>): Field => ({
  name,
  label,
  choices: values.map((value) => ({ value, title: value }))
})

export const sims: Things = {
  folder: "sims",
  one: "SIM",
  many: "SIMs",
  actions: [
    {
      name: "withdraw",
      title: "Withdraw all that match",
      about: "No subscription gets a withdrawn SIM. One that a subscription has is refused.",
      done: "withdrawn",
      fields: [chosen("reason", "Because they are", Withdrawal.reasons)],
      isDangerous: true
    },
    {
      name: "restore",
      title: "Put all that match back into stock",
      about: "Those that were withdrawn are free again.",
      done: "in stock"
    },
    {
      name: "set_label",
      title: "Set the label of all that match",
      about: "A SIM carries the plans of its label.",
      done: "of the label",
      fields: [chosen("new_label", "Label", Label.labels)]
    }
  ]
}

const counted = (count: number, { many, one }: Things): string => View.counted(count, one, many)

/** A number of SIMs to change, to be typed if they are many; null: nothing is typed. */
export const typedOfMany = (count: number): string | null => (count > Operator.FEW ? String(count) : null)

/** How many match, to be typed, where many are changed or some deleted; null: nothing is typed. */
const typed = ({ matching }: Preview["preview"], { deletes }: Action): string | null =>
  deletes === true && matching > 0 ? String(matching) : typedOfMany(matching)

/** Fails with a sentence if the operator's role allows it for fewer. */
const checkMany = ({ matching }: Preview["preview"], things: Things): void => {
  const most = Api.mostAtOnce()
  if (most === null || matching <= most) return
  throw new Error(
    `${counted(matching, things)} match: more than ${most} at once take the role ${Operator.ofMany}. Narrow the filter, or ask an admin.`
  )
}

const SHOWN = 3

const refusalsOf = ({ data, preview: { refused } }: Preview, things: Things): ReadonlyArray<string> =>
  refused === 0
    ? []
    : [
        `${counted(refused, things)} would be refused:`,
        ...data.slice(0, SHOWN).map(({ iccid, message }) => `${iccid}: ${message ?? ""}`)
      ]

const sentencesOf = (answer: Preview, { done }: Action, things: Things): ReadonlyArray<string> => {
  const { changed, has_more, matching, unchanged } = answer.preview
  const least = has_more ? "At least " : ""
  return [
    `${least}${counted(matching, things)} match; ${changed} would be ${done}.`,
    ...(unchanged === 0 ? [] : [`${counted(unchanged, things)} would stay: so already.`]),
    ...refusalsOf(answer, things)
  ]
}

const summary = (results: ReadonlyArray<Result>, { done }: Action, things: Things): string => {
  const countOf = (result: BulkAction.Outcome): number => results.filter((one) => one.result === result).length
  const [unchanged, refused] = [countOf("unchanged"), countOf("refused")]
  const inPart = results.filter(({ code, result }) => result === "changed" && code !== undefined).length
  return [
    `${counted(countOf("changed"), things)} ${done}`,
    ...(inPart === 0 ? [] : [`${inPart} of them in part`]),
    ...(unchanged === 0 ? [] : [`${unchanged} so already`]),
    ...(refused === 0 ? [] : [`${refused} refused`])
  ].join(", ")
}

/** The fields of a filter as a body has them. */
const bodyOf = (filter: Filter): object => {
  const { is_esim, ...given } = filled(filter)
  const selected = { ...given, ...(is_esim !== undefined && { is_esim: is_esim === "true" }) }
  return Object.keys(selected).length === 0 ? { all: true } : selected
}

type See = (results: ReadonlyArray<Result>) => void

/** How often what a run has changed is kept while it goes on, in milliseconds. */
const EVERY = 500

/**
 * Carries out a run, or goes on with it. What it had changed before is so already, which is said of
 * it as a change. It is kept until it has ended, or was refused before it did anything.
 */
const carryOut = async (
  run: Runs.Run,
  { action, things }: { readonly action: Action; readonly things: Things },
  see: See,
  say: (sentence: string) => void
): Promise<string> => {
  const results = new Map<string, Result>(run.changed.map((one) => [one.iccid, { ...one, result: "changed" }]))
  const known = new Set(results.keys())
  const all = (): ReadonlyArray<Result> => [...results.values()]
  const keep = (): void =>
    Runs.keep({
      ...run,
      changed: all().flatMap(({ iccid, result, subscription_id }) =>
        result === "changed" ? [{ iccid, ...(subscription_id !== undefined && { subscription_id }) }] : []
      )
    })
  const add = (one: Result): void => {
    if (one.result !== "unchanged" || !known.has(one.iccid)) results.set(one.iccid, one)
  }
  let keptAt = Date.now()
  keep()
  window.addEventListener("pagehide", keep)
  try {
    await Api.lines<Result>(run.path, run.body, (some) => {
      some.forEach(add)
      if (Date.now() - keptAt > EVERY) {
        keep()
        keptAt = Date.now()
      }
      say(`So far: ${summary(all(), action, things)}.`)
    })
    Runs.forget(run)
  } catch (error) {
    const isRefused = error instanceof Api.Refused && error.status >= 400 && error.status < 500
    if (isRefused && results.size === 0) Runs.forget(run)
    else keep()
    throw error
  } finally {
    window.removeEventListener("pagehide", keep)
    see(all())
  }
  return `${summary(all(), action, things)}.`
}

/** The path of the actions on an organization's things. */
export const pathOf = (organization: string, { folder }: Things): string => `${organization}/${folder}/actions`

/**
 * What goes on with a run that was cut, and what forgets it; nothing if the action is not known
 * any more.
 */
export const resumption = (run: Runs.Run, things: Things, see: See): ReadonlyArray<Task> => {
  const action = things.actions.find(({ name }) => name === run.body["action"])
  if (action === undefined) return []
  let toType: string | null = null
  return [
    {
      title: "Go on",
      about: `${run.title}: what is done already is not done again.`,
      reason: run.reason,
      preview: async () => {
        const answer = await Api.call<Preview>("POST", `${run.path}?dry_run=true`, { body: run.body })
        checkMany(answer.preview, things)
        toType = typed(answer.preview, action)
        return [`${counted(run.changed.length, things)} ${action.done} before.`, ...sentencesOf(answer, action, things)]
      },
      typed: () => toType,
      does: (_, __, say) => carryOut({ ...run, reason: Api.reasonGiven() }, { action, things }, see, say)
    },
    {
      title: "Forget it",
      about: `${run.title}: what is done stays, and nothing more is done.`,
      preview: () => Promise.resolve([`${counted(run.changed.length, things)} ${action.done}.`]),
      does: () => {
        Runs.forget(run)
        return Promise.resolve("It is forgotten.")
      }
    }
  ]
}

/** The tasks. `see` gets what came of each, also if a task broke off. */
export const tasks = (organization: string, things: Things, filter: Filter, see: See): ReadonlyArray<Task> => {
  const path = pathOf(organization, things)
  const asked = bodyOf(filter)
  return things.actions
    .filter(({ needs }) => needs === undefined || (filter[needs] ?? "") !== "")
    .filter(({ deletes }) => deletes !== true || Api.allows(Operator.ofDeletion))
    .map((action) => {
      let until = ""
      let toType: string | null = null
      let run: Runs.Run | null = null
      return {
        title: action.title,
        about: action.about,
        ...(action.isDangerous === true && { isDangerous: action.isDangerous }),
        ...(action.fields !== undefined && { fields: () => Promise.resolve(action.fields ?? []) }),
        preview: async (values) => {
          const body = { ...asked, ...values, action: action.name }
          const answer = await Api.call<Preview>("POST", `${path}?dry_run=true`, { body })
          checkMany(answer.preview, things)
          until = answer.preview.created_until
          toType = typed(answer.preview, action)
          run = null
          return sentencesOf(answer, action, things)
        },
        typed: () => toType,
        does: (values, _, say) => {
          // The same dialog again goes on with what it has begun.
          run =
            Runs.unfinished(path).find(({ id }) => id === run?.id) ??
            Runs.begun(path, {
              title: action.title,
              body: { created_until: until, ...asked, ...values, action: action.name },
              reason: Api.reasonGiven()
            })
          return carryOut(run, { action, things }, see, say)
        }
      }
    })
}

const HEADER = ["iccid", "subscription_id", "result", "code", "message"]

/** What came of each, as a file. */
export const fileOf = (results: ReadonlyArray<Result>): string =>
  Csv.of(
    HEADER,
    results.map(({ code = "", iccid, message = "", result, subscription_id = "" }) => [
      iccid,
      subscription_id,
      result,
      code,
      message
    ])
  )
