/**
 * A history as a text table: instant, event, rule.
 */
import type { Entry, History } from "../play/History.ts"
import * as Rules from "../play/Rules.ts"
import * as Wording from "./Wording.ts"

/** The text of an entry, with its attachment if there are several. */
export const what = ({ attachments }: History, { attachment, what }: Entry): string =>
  attachments.length > 1 && attachment !== null ? `${what} (attachment ${attachment + 1})` : what

/** The rules of an entry, without duplicates. */
export const rules = (entry: Entry): string => [...new Set(entry.rules.map(Rules.inWords))].join("; ")

/** The table, with title and header. */
export const text = (history: History): string => {
  const rows = [
    ["instant (UTC)", "what happens", "by which rule"] as const,
    ...history.entries.map((entry) => [Wording.instant(entry.at), what(history, entry), rules(entry)] as const)
  ]
  const width = (column: 0 | 1) => rows.reduce((most, row) => Math.max(most, row[column].length), 0)
  const [first, second] = [width(0), width(1)]
  const lines = rows.map(([at, happened, rule]) => `${at.padEnd(first)}  ${happened.padEnd(second)}  ${rule}`.trimEnd())
  return [history.title, ...(history.about === null ? [] : [history.about]), "", ...lines].join("\n")
}
