/**
 * A history as an HTML page without dependencies: the drawing with details on hover and focus, and the table.
 */
import * as Drawing from "../drawing/Drawing.ts"
import { escape } from "../drawing/Svg.ts"
import type { Entry, History } from "../play/History.ts"
import * as Table from "./Table.ts"
import * as Tooltip from "./Tooltip.ts"
import * as Wording from "./Wording.ts"

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

const row = (history: History, entry: Entry): string =>
  [
    `<tr class="${entry.kind}"><td>${Wording.instant(entry.at)}</td>`,
    `<td>${escape(Table.what(history, entry))}</td><td>${escape(Table.rules(entry))}</td></tr>`
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
    `<style>${css}\n${Tooltip.css}</style></head><body>`,
    `<main><div class="timeline">${Drawing.svg(history, { interactive: true })}</div>`,
    table(history),
    `</main><script>${Tooltip.script}</script></body></html>`,
    ""
  ].join("\n")
