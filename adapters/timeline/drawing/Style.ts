/**
 * The style sheet of a drawing, for light and dark. The meaning of each colour is also in a text.
 */

/** The colours, for light and for dark. */
const colours: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  ink: ["#1d2330", "#e8ebf2"],
  muted: ["#5a6376", "#a0a9bb"],
  ground: ["#ffffff", "#14171d"],
  rule: ["#e3e7ee", "#2a303b"],
  guide: ["#c9d0dc", "#465062"],
  "created-fill": ["#dde3ed", "#343c4b"],
  "created-ink": ["#39435a", "#d4dbe8"],
  "pending-fill": ["#fde5b4", "#54400f"],
  "pending-ink": ["#5c3f00", "#ffdf9e"],
  "active-fill": ["#c2ead5", "#17472f"],
  "active-ink": ["#0c4b2e", "#b5f0d1"],
  "suspended-fill": ["#f8cccc", "#5c2123"],
  "suspended-ink": ["#741919", "#ffcfcf"],
  "expired-fill": ["#ececef", "#262a32"],
  "expired-ink": ["#5b5e68", "#a9afbc"],
  "package-fill": ["#d3e2fb", "#1f3357"],
  "package-line": ["#2f63c9", "#7ba6f7"],
  "package-ink": ["#173a7c", "#cfe0ff"],
  usage: ["#0b6f83", "#4cc3d9"],
  throttled: ["#c2410c", "#ff9d5c"],
  webhook: ["#7038c8", "#b896f5"],
  bad: ["#b42323", "#ff8a8a"]
}

const scheme = (index: 0 | 1): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(colours).map(([name, pair]) => [name, pair[index]]))

export const light = scheme(0)
export const dark = scheme(1)

const variables = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `--tl-${name}:${value}`)
    .join(";")

const states = ["created", "pending", "active", "suspended", "expired"] as const

/** All selectors are below the class `tl`. */
export const css: string = [
  `.tl{${variables(light)};color-scheme:light dark;font:11px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}`,
  `@media (prefers-color-scheme:dark){.tl{${variables(dark)}}}`,
  ".tl text{fill:var(--tl-ink)}",
  ".tl .tl-title{font-size:16px;font-weight:600}",
  ".tl .tl-muted{fill:var(--tl-muted)}",
  ".tl .tl-name{font-weight:600}",
  ".tl .tl-ground{fill:var(--tl-ground)}",
  ".tl .tl-rule{stroke:var(--tl-rule)}",
  ".tl .tl-guide{stroke:var(--tl-guide);stroke-dasharray:2 3}",
  ...states.flatMap((name) => [
    `.tl .tl-${name}{fill:var(--tl-${name}-fill)}`,
    `.tl text.tl-${name}-ink{fill:var(--tl-${name}-ink);font-weight:600;font-size:10px;letter-spacing:.02em}`
  ]),
  ".tl .tl-package{fill:var(--tl-package-fill);stroke:var(--tl-package-line)}",
  ".tl text.tl-package-ink{fill:var(--tl-package-ink)}",
  ".tl .tl-lead{fill:none;stroke:var(--tl-package-line);stroke-dasharray:3 2}",
  ".tl .tl-waiting{fill:none;stroke:var(--tl-pending-ink);stroke-dasharray:1 3;stroke-linecap:round}",
  ".tl .tl-stopped{opacity:.35}",
  ".tl .tl-missing{fill:none;stroke:var(--tl-bad);stroke-dasharray:4 3}",
  ".tl text.tl-missing-ink{fill:var(--tl-bad)}",
  ".tl .tl-usage{fill:none;stroke:var(--tl-usage);stroke-width:1.75;stroke-linejoin:round}",
  ".tl .tl-area{fill:var(--tl-usage);opacity:.12}",
  ".tl .tl-point{fill:var(--tl-ground);stroke:var(--tl-usage);stroke-width:1.5}",
  ".tl .tl-throttled{fill:none;stroke:var(--tl-throttled);stroke-width:2.25;stroke-linejoin:round}",
  ".tl .tl-threshold{stroke:var(--tl-throttled);stroke-dasharray:4 3;opacity:.7}",
  ".tl text.tl-speed{fill:var(--tl-throttled)}",
  ".tl text.tl-speed,.tl text.tl-muted{paint-order:stroke;stroke:var(--tl-ground);stroke-width:3px}",
  ".tl .tl-step{fill:var(--tl-ink)}",
  ".tl .tl-webhook{fill:var(--tl-webhook)}",
  ".tl .tl-bad{fill:none;stroke:var(--tl-bad);stroke-width:2;stroke-linecap:round}",
  ".tl .tl-thing:focus{outline:2px solid var(--tl-package-line);outline-offset:2px}"
].join("\n")
