/** What is done to all subscriptions of an organization that a filter takes: how many they are, and doing it. */
import * as Api from "./Api.ts"
import type { Task } from "./Task.tsx"

/** The fields of a filter by their names in the API; an empty text filters nothing. */
export type Filter = Readonly<Record<string, string>>

export const filled = (filter: Filter): Filter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""))

/** What came of one, or would. */
export interface Result {
  readonly iccid: string
  readonly subscription_id: string
  readonly result: "changed" | "unchanged" | "refused"
  readonly code?: string
  readonly message?: string
}

interface Preview {
  readonly data: ReadonlyArray<Result>
  readonly preview: {
    readonly matching: number
    readonly changed: number
    readonly unchanged: number
    readonly refused: number
    readonly has_more: boolean
    readonly created_until: string
  }
}

interface Action {
  readonly name: "pause" | "resume" | "suspend" | "delete"
  readonly title: string
  readonly about: string
  /** Follows a number of subscriptions. */
  readonly done: string
}

const actions: ReadonlyArray<Action> = [
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
    done: "without the plan"
  },
  {
    name: "delete",
    title: "Delete all that match",
    about: "The SIMs are free for other subscriptions then. Where an eSIM was downloaded it is refused.",
    done: "deleted"
  }
]

const subscriptions = (count: number): string => (count === 1 ? "1 subscription" : `${count} subscriptions`)

const SHOWN = 3

const refusalsOf = ({ data, preview: { refused } }: Preview): ReadonlyArray<string> =>
  refused === 0
    ? []
    : [
        `${subscriptions(refused)} would be refused:`,
        ...data.slice(0, SHOWN).map(({ iccid, message }) => `${iccid}: ${message ?? ""}`)
      ]

const sentencesOf = (answer: Preview, { done }: Action): ReadonlyArray<string> => {
  const { changed, has_more, matching, unchanged } = answer.preview
  const least = has_more ? "At least " : ""
  return [
    `${least}${subscriptions(matching)} match; ${changed} would be ${done}.`,
    ...(unchanged === 0 ? [] : [`${subscriptions(unchanged)} would stay: so already.`]),
    ...refusalsOf(answer)
  ]
}

const summary = (results: ReadonlyArray<Result>, { done }: Action): string => {
  const of = (result: Result["result"]): number => results.filter((one) => one.result === result).length
  const [unchanged, refused] = [of("unchanged"), of("refused")]
  return [
    `${subscriptions(of("changed"))} ${done}`,
    ...(unchanged === 0 ? [] : [`${unchanged} so already`]),
    ...(refused === 0 ? [] : [`${refused} refused`])
  ].join(", ")
}

/** The tasks. `see` gets what came of each subscription, also where the task broke off. */
export const tasks = (
  organization: string,
  filter: Filter,
  see: (results: ReadonlyArray<Result>) => void
): ReadonlyArray<Task> => {
  const given = filled(filter)
  const path = `${organization}/subscriptions/actions`
  const asked = Object.keys(given).length === 0 ? { all: true } : given
  return actions
    .filter(({ name }) => name !== "suspend" || given["plan_id"] !== undefined)
    .map((action) => {
      let until = ""
      return {
        title: action.title,
        about: action.about,
        preview: async () => {
          const body = { ...asked, action: action.name }
          const answer = await Api.call<Preview>("POST", `${path}?dry_run=true`, { body })
          until = answer.preview.created_until
          return sentencesOf(answer, action)
        },
        does: async (_, __, say) => {
          const results: Array<Result> = []
          const body = { ...asked, action: action.name, created_until: given["created_until"] ?? until }
          try {
            await Api.lines<Result>(path, body, (some) => {
              results.push(...some)
              say(`So far: ${summary(results, action)}.`)
            })
          } finally {
            see(results)
          }
          return `${summary(results, action)}.`
        }
      }
    })
}
