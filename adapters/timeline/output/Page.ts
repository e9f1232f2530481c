/**
 * A history as an HTML page without dependencies: the drawing with details on hover and focus, and
 * the table.
 *
 * The script and the style sheets are texts, because the page has no other files.
 */
import * as Drawing from "../drawing/Drawing.ts"
import { escape } from "../drawing/Figure.ts"
import type { Entry, History } from "../play/History.ts"
import * as Text from "./Text.ts"
import * as Wording from "../Wording.ts"

const css = `:root{color-scheme:light dark;--ink:#1d2330;--muted:#5a6376;--ground:#fff;--rule:#e3e7ee;--bad:#b42323}
@media (prefers-color-scheme:dark){:root{--ink:#e8ebf2;--muted:#a0a9bb;--ground:#14171d;--rule:#2a303b;--bad:#ff8a8a}}
body{margin:0 auto;padding:1.5rem 1rem;max-width:1000px;background:var(--ground);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
.timeline{overflow-x:auto}
.timeline svg{display:block}
table{width:100%;border-collapse:collapse;margin-top:1.5rem;font-size:14px}
caption{text-align:left;color:var(--muted);padding-bottom:.5rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .9rem .35rem 0;border-bottom:1px solid var(--rule)}
td:first-child{white-space:nowrap;font-variant-numeric:tabular-nums}
td:last-child{color:var(--muted)}
.refused td:nth-child(2),.failure td:nth-child(2){color:var(--bad)}`

/**
 * Shows the `data-tip` of an element on hover and focus, and moves the focus within a timeline by
 * the arrow keys. The listeners are on the document, so that they also serve timelines that are
 * drawn later.
 */
export const tooltipScript = `(() => {
  const tip = document.createElement("div")
  tip.className = "tl-tip"
  tip.setAttribute("role", "tooltip")
  tip.hidden = true
  document.body.append(tip)
  const show = (thing) => {
    tip.textContent = thing.getAttribute("data-tip")
    tip.hidden = false
    const at = thing.getBoundingClientRect()
    const { width, height } = tip.getBoundingClientRect()
    const room = document.documentElement.clientWidth - width - 8
    tip.style.left = Math.max(8, Math.min(at.left + Math.min(at.width, 40) / 2 - width / 2, room)) + "px"
    tip.style.top = (at.top - height - 8 < 8 ? at.bottom + 8 : at.top - height - 8) + "px"
  }
  const hide = () => { tip.hidden = true }
  const thingOf = (event) => event.target instanceof Element ? event.target.closest("[data-tip]") : null
  const follow = (event) => {
    const thing = thingOf(event)
    if (thing) show(thing)
    else hide()
  }
  document.addEventListener("pointerover", follow)
  document.addEventListener("focusin", follow)
  document.addEventListener("focusout", hide)
  addEventListener("scroll", hide, { passive: true, capture: true })
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide()
    const timeline = event.target instanceof Element ? event.target.closest("svg.tl") : null
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (!timeline || (step === undefined && event.key !== "Home" && event.key !== "End")) return
    const things = [...timeline.querySelectorAll("[data-tip]")]
    const at = things.indexOf(thingOf(event))
    const next = event.key === "Home" ? 0 : event.key === "End" ? things.length - 1 : at + step
    event.preventDefault()
    things[Math.max(0, Math.min(next, things.length - 1))]?.focus()
  })
})()`

/** The style of the tooltips. */
export const tooltipStyle = `.tl-tip{position:fixed;z-index:10;max-width:min(30rem,calc(100vw - 16px));padding:.5rem .7rem;border-radius:6px;
background:#1d2330;color:#fff;font:13px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;white-space:pre-wrap;
pointer-events:none;box-shadow:0 2px 10px rgb(0 0 0/.3)}
@media (prefers-color-scheme:dark){.tl-tip{background:#e8ebf2;color:#14171d}}`

const row = (history: History, entry: Entry): string =>
  [
    `<tr class="${entry.kind}"><td>${Wording.instant(entry.at)}</td>`,
    `<td>${escape(Text.what(history, entry))}</td><td>${escape(Text.rules(entry))}</td></tr>`
  ].join("")

/** The table of the entries, as HTML. */
export const table = (history: History): string =>
  [
    "<table><caption>What happens when, by which rule. Instants are UTC.</caption>",
    '<thead><tr><th scope="col">Instant</th><th scope="col">What happens</th><th scope="col">Rule</th></tr></thead>',
    "<tbody>",
    ...history.entries.map((entry) => row(history, entry)),
    "</tbody></table>"
  ].join("\n")

/** The whole page. */
export const html = (history: History): string =>
  [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escape(history.title)}</title>`,
    `<style>${css}\n${tooltipStyle}</style></head><body>`,
    `<main><div class="timeline">${Drawing.svg(history, { interactive: true })}</div>`,
    table(history),
    `</main><script>${tooltipScript}</script></body></html>`,
    ""
  ].join("\n")
