/**
 * Edits of two people: what somebody else has changed since it was read is not overwritten without
 * a word.
 */
import * as Words from "./Words.ts"

type Fields = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** The fields that a form changes, of those that it began with. */
export const changedIn = (began: Fields, wanted: Fields): ReadonlyArray<string> =>
  Object.keys(wanted).filter((name) => textOf(wanted[name]) !== textOf(began[name]))

/**
 * Fails with a sentence if one of the fields is another one than the form began with. `now`:
 * what is there; null: nothing is. Fields that somebody else has changed to what the form wants are
 * no conflict.
 */
export const refuse = (began: Fields, now: Fields | null, wanted: Fields): void => {
  if (now === null) throw new Error("Somebody has deleted it meanwhile.")
  const other = changedIn(began, wanted).find(
    (name) => textOf(now[name]) !== textOf(began[name]) && textOf(now[name]) !== textOf(wanted[name])
  )
  if (other === undefined) return
  const value = textOf(now[other])
  throw new Error(
    `Somebody has changed it meanwhile: ${Words.spaced(other)} is ${value === "" ? "empty" : value} now. Close this and open it again to go on from there.`
  )
}

const MOST_TRIES = 5

/** Whether an edit was refused because it is of another version than is there. */
export const isOfAnother = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "changed_meanwhile"

/**
 * Edits the version that was checked. If somebody else was faster it checks what is there then:
 * that may be no conflict, since a version rises with every change.
 */
export const edit = async <Checked extends { readonly version: number }>(
  check: () => Promise<Checked>,
  send: (checked: Checked) => Promise<unknown>
): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    const checked = await check()
    try {
      await send(checked)
      return
    } catch (error) {
      if (tries === MOST_TRIES || !isOfAnother(error)) throw error
    }
  }
}
