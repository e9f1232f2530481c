/**
 * Tooltips on a page: a script and a style sheet as text, because the page has no other files. The script shows the
 * `data-tip` of an element on hover and focus, and moves the focus within a timeline by the arrow keys.
 */

/** The listeners are on the document, so that they also serve timelines that are drawn later. */
export const script = `(() => {
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

export const css = `.tl-tip{position:fixed;z-index:10;max-width:min(30rem,calc(100vw - 16px));padding:.5rem .7rem;border-radius:6px;
background:#1d2330;color:#fff;font:13px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;white-space:pre-wrap;
pointer-events:none;box-shadow:0 2px 10px rgb(0 0 0/.3)}
@media (prefers-color-scheme:dark){.tl-tip{background:#e8ebf2;color:#14171d}}`
