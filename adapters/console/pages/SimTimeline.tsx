/**
 * The drawing of a SIM's plans over time, as `simulate` draws them: their states, their packages, and what was used by day. Its text is
 * escaped markup, which is read as SVG; the policy of the page takes its style sheet from the script alone.
 */
import { useEffect, useRef, useState } from "preact/hooks"
import * as Drawing from "../../timeline/drawing/Drawing.ts"
import * as Api from "../Api.ts"
import * as Course from "../Course.ts"
import * as View from "../View.tsx"

/** The narrowest drawing that can be read; a narrower screen scrolls it. */
const NARROWEST = 640

const DAY = 86_400_000

/** For how many days usage can be asked. */
const DAYS = 400

/** From the first day that counts for the attachments on. */
const firstDay = (attachments: ReadonlyArray<Course.Attachment>): string => {
  const first = Math.min(...attachments.map(({ created_at }) => Date.parse(created_at)))
  return new Date(Math.max(first, Api.now() - (DAYS - 1) * DAY)).toISOString().slice(0, 10)
}

const adopt = (): void => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(Drawing.css)
  document.adoptedStyleSheets.push(sheet)
}

let isAdopted = false

export const Timeline = ({
  attachments,
  iccid,
  path
}: {
  readonly iccid: string
  /** Of its subscription. */
  readonly path: string
  readonly attachments: ReadonlyArray<Course.Attachment>
}) => {
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const used = `${path}/usage?by=day,attachment&from=${firstDay(attachments)}`
  const { data, failure } = View.useReading(used, () => Api.read<ReadonlyArray<Course.Day>>(used))
  useEffect(() => {
    if (!isAdopted) adopt()
    isAdopted = true
    const measure = (): void => setWidth(Math.max(NARROWEST, place.current?.clientWidth ?? 0))
    measure()
    window.addEventListener("resize", measure)
    return () => window.removeEventListener("resize", measure)
  }, [])
  const drawn =
    data === undefined || width === 0
      ? ""
      : Drawing.svg(Course.drawn(iccid, attachments, data, Api.now()), { alone: false, styled: false, width })
  useEffect(() => {
    if (drawn === "") return
    const { documentElement } = new DOMParser().parseFromString(drawn, "image/svg+xml")
    place.current?.replaceChildren(documentElement)
  }, [drawn])
  return (
    <>
      <View.Failure>{failure}</View.Failure>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <section class="scrolls" aria-label="Timeline" tabIndex={0}>
        <div ref={place} />
      </section>
    </>
  )
}
