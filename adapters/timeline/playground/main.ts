/**
 * The playground: a form for a scenario, and its history, played in the browser.
 */
import { Effect, Result } from "effect"
import { Drawing, History, Page, Play, type Rules, Scenario } from "../index.ts"
import * as Dom from "./Dom.ts"
import * as Form from "./Form.ts"

interface Problem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly sentence: string
}

const paragraph = (className: string, rule: Rules.Rule | undefined, says: string): HTMLElement =>
  Dom.make("p", { class: className }, ...(rule === undefined ? [] : [Dom.make("b", {}, rule.name), " "]), says)

/** The rules that applied; if there is no attachment, the first refusal. */
const verdict = (history: History.History): ReadonlyArray<HTMLElement> => {
  const rules = new Map(history.attachments.flatMap(History.rulesOf).map((rule) => [rule.name, rule]))
  const refused = history.entries.find(({ kind }) => kind === "refused")
  return rules.size === 0 && refused !== undefined
    ? [paragraph("refused", refused.rules[0], refused.what)]
    : [...rules.values()].map((rule) => paragraph("applied", rule, rule.says))
}

/** The view of a form: the rules that applied, the drawing, and the table. */
const viewOf = (form: Form.Form) => {
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

interface Example {
  readonly name: string
  readonly scenario: { readonly title: string }
}

/** The scenarios of `examples/simulate`; the build writes them into the page. */
const examples: ReadonlyArray<Example> = JSON.parse(Dom.find("#scenarios", HTMLScriptElement).text)

const begin = "rule-7-start-ahead"

let playing = false
let waiting = false

/** Plays the form's scenario. Of the changes during a play, only the last one is played. */
const play = async (): Promise<void> => {
  if (playing) {
    waiting = true
    return
  }
  playing = true
  const value = form.read()
  const scenario = Scenario.decode(value)
  if (Result.isFailure(scenario)) view.complain(scenario.failure)
  else {
    const played = await Effect.runPromise(Effect.result(Play.history(scenario.success)))
    if (Result.isFailure(played)) view.complain([played.failure])
    else view.show(played.success)
    history.replaceState(null, "", `#${encodeURIComponent(JSON.stringify(value))}`)
  }
  playing = false
  if (waiting) {
    waiting = false
    await play()
  }
}

const form = Form.of(Dom.find("#form", HTMLFormElement), () => void play())
const view = viewOf(form)

const load = (value: unknown): boolean => {
  const scenario = Scenario.decode(value)
  if (Result.isFailure(scenario)) return false
  form.write(scenario.success)
  void play()
  return true
}

const select = Dom.find("#example", HTMLSelectElement)
select.append(...examples.map(({ name, scenario }) => Dom.make("option", { value: name }, scenario.title)))
const loadExample = (name: string) => load(examples.find((example) => example.name === name)?.scenario)
select.addEventListener("change", () => loadExample(select.value))

/** The scenario in the address, which is the last one or a shared one. */
const fromAddress = (): unknown => {
  try {
    return JSON.parse(decodeURIComponent(location.hash.slice(1)))
  } catch {
    return undefined
  }
}

Dom.find("#download", HTMLButtonElement).addEventListener("click", () => {
  Dom.offer("scenario.json", "application/json", `${JSON.stringify(form.read(), null, 2)}\n`)
})
Dom.find("#picture", HTMLButtonElement).addEventListener("click", () => {
  const shown = view.history()
  if (shown !== undefined) Dom.offer("timeline.svg", "image/svg+xml", Drawing.svg(shown))
})

document.head.append(Dom.make("style", {}, Page.tooltipStyle))
document.body.append(Dom.make("script", {}, Page.tooltipScript))

select.value = begin
if (!load(fromAddress())) loadExample(begin)
