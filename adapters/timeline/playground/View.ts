/**
 * Shows a history on the page: the rules that applied, the drawing, and the table.
 */
import { Changes, Drawing, type History, Page, type Rules } from "../index.ts"
import * as Dom from "./Dom.ts"
import type { Form } from "./Form.ts"

interface Problem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly sentence: string
}

const paragraph = (className: string, rule: Rules.Rule | undefined, says: string): HTMLElement =>
  Dom.make("p", { class: className }, ...(rule === undefined ? [] : [Dom.make("b", {}, rule.name), " "]), says)

/** The rules that applied; if there is no attachment, the first refusal. */
const verdict = (history: History.History): ReadonlyArray<HTMLElement> => {
  const rules = new Map(history.attachments.flatMap(Changes.rulesOf).map((rule) => [rule.name, rule]))
  const refused = history.entries.find(({ kind }) => kind === "refused")
  return rules.size === 0 && refused !== undefined
    ? [paragraph("refused", refused.rules[0], refused.what)]
    : [...rules.values()].map((rule) => paragraph("applied", rule, rule.says))
}

/** The view of a form. */
export const of = (form: Form) => {
  const timeline = Dom.find("#timeline", HTMLElement)
  const rules = Dom.find("#verdict", HTMLElement)
  const answer = Dom.find("#answer", HTMLElement)
  const problems = Dom.find("#problems", HTMLElement)
  const table = Dom.find("#table", HTMLElement)
  let shown: History.History | undefined
  let marked: ReadonlyArray<HTMLElement> = []

  const draw = () => {
    if (shown === undefined) return
    const width = Math.max(280, Math.floor(timeline.clientWidth))
    timeline.innerHTML = Drawing.svg(shown, { width, alone: false, interactive: true })
  }
  new ResizeObserver(draw).observe(timeline)

  const unmark = () => {
    for (const control of marked) {
      control.removeAttribute("aria-invalid")
      control.removeAttribute("aria-describedby")
    }
    marked = []
    for (const error of document.querySelectorAll(".error")) error.remove()
  }

  const mark = ({ path, sentence }: Problem, index: number) => {
    const control = form.control(path)
    if (control === null) return
    const id = `error-${index}`
    control.setAttribute("aria-invalid", "true")
    control.setAttribute("aria-describedby", id)
    const beside = control.closest("li") ?? control
    const error = Dom.make("span", { class: "error", id }, sentence)
    if (beside === control) control.after(error)
    else beside.append(error)
    marked = [...marked, control]
  }

  return {
    history: (): History.History | undefined => shown,
    show: (history: History.History): void => {
      unmark()
      shown = history
      problems.hidden = true
      answer.classList.remove("stale")
      rules.replaceChildren(...verdict(history))
      table.innerHTML = Page.table(history)
      draw()
    },
    /** Shows problems at their fields; the last drawing remains. */
    complain: (all: ReadonlyArray<Problem>): void => {
      unmark()
      answer.classList.add("stale")
      problems.replaceChildren(...all.map(({ sentence }) => Dom.make("li", {}, `${sentence}.`)))
      problems.hidden = false
      for (const [index, one] of all.entries()) mark(one, index)
    }
  }
}
