/**
 * Bulk actions that have begun and not ended: the connection was lost, the page was closed, or the
 * server was started again. The browser keeps them, so that they are found after that, and whoever
 * began them can go on. Nothing of them is done twice: the same request again finds what is done.
 */
import { signal } from "@preact/signals"
import * as Api from "./Api.ts"

/** What was changed of one of them. */
export interface Changed {
  readonly iccid: string
  readonly subscription_id?: string
}

/** A bulk action that has begun. */
export interface Run {
  readonly id: string
  /** The name of the operator who began it. */
  readonly operator: string
  /** The path of its request, which names the organization. */
  readonly path: string
  /** The title of its task. */
  readonly title: string
  /** The request: the action, the filter, and until when those were made that it acts on. */
  readonly body: Readonly<Record<string, unknown>>
  /** Why, for the audit log; empty if nobody said it. */
  readonly reason: string
  /** When it began, in milliseconds. */
  readonly begunAt: number
  /** Those that it has changed so far, as far as the browser got to know. */
  readonly changed: ReadonlyArray<Changed>
}

const PREFIX = "simplan-bulk-run:"

/** For how long it is kept, in milliseconds. */
const KEPT = 7 * 86_400_000

const isRun = (value: unknown): value is Run =>
  typeof value === "object" &&
  value !== null &&
  "changed" in value &&
  "begunAt" in value &&
  Number(value.begunAt) > Date.now() - KEPT

const parsed = (text: string | null): unknown => {
  try {
    return JSON.parse(text ?? "null")
  } catch {
    return null
  }
}

/** A browser may refuse to keep anything. */
const attempt = <A>(work: () => A, otherwise: A): A => {
  try {
    return work()
  } catch {
    return otherwise
  }
}

const read = (): ReadonlyArray<Run> =>
  attempt(
    () =>
      Object.keys(localStorage)
        .filter((key) => key.startsWith(PREFIX))
        .flatMap((key) => {
          const run = parsed(localStorage.getItem(key))
          if (isRun(run)) return [run]
          localStorage.removeItem(key)
          return []
        })
        .toSorted((a, b) => a.begunAt - b.begunAt),
    []
  )

const kept = signal(read())

/** Those of a path that the operator has begun, the oldest first. */
export const unfinished = (path: string): ReadonlyArray<Run> =>
  kept.value.filter((run) => run.path === path && run.operator === Api.operator.value?.name)

/** A run that begins now. */
export const begun = (path: string, of: Pick<Run, "title" | "body" | "reason">): Run => ({
  ...of,
  id: Api.newKey(),
  operator: Api.operator.value?.name ?? "",
  path,
  begunAt: Date.now(),
  changed: []
})

const isWritten = (run: Run): boolean =>
  attempt(() => {
    localStorage.setItem(PREFIX + run.id, JSON.stringify(run))
    return true
  }, false)

/**
 * Keeps a run, or what has become of it. If there is no room for all that it has changed, that
 * is left out.
 */
export const keep = (run: Run): void => {
  if (!isWritten(run)) isWritten({ ...run, changed: [] })
  kept.value = [...kept.value.filter(({ id }) => id !== run.id), run].toSorted((a, b) => a.begunAt - b.begunAt)
}

/** Forgets a run: it has ended, or nobody goes on with it. */
export const forget = ({ id }: Pick<Run, "id">): void => {
  attempt(() => localStorage.removeItem(PREFIX + id), undefined)
  kept.value = kept.value.filter((run) => run.id !== id)
}
