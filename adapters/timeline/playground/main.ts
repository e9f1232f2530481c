/**
 * The playground: a form for a scenario, and its history, played in the browser.
 */
import { Effect, Result } from "effect"
import { Drawing, Play, Scenario, Tooltip } from "../index.ts"
import * as Dom from "./Dom.ts"
import * as Form from "./Form.ts"
import * as View from "./View.ts"

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
const view = View.of(form)

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

document.head.append(Dom.make("style", {}, Tooltip.css))
document.body.append(Dom.make("script", {}, Tooltip.script))

select.value = begin
if (!load(fromAddress())) loadExample(begin)
