/**
 * The drawing of a SIM's plans over time, as `simulate` draws them: their states, their packages,
 * and what was used by day. Its text is escaped markup, which is read as SVG; the policy of the
 * page takes its style sheet from the script alone.
 */
import { useEffect, useRef, useState } from "preact/hooks"
import * as Drawing from "../../timeline/drawing/Drawing.ts"
import * as Api from "../Api.ts"
import * as Course from "../Course.ts"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"
import * as Words from "../Words.ts"

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

/** A plan that is there no more limits nothing that can be drawn. */
const planOf = (organization: string, id: string): Promise<Course.Plan> =>
  Api.read<Types.Data<"organizationPlans", "get">>(`${organization}/plans/${encodeURIComponent(id)}`).catch(
    (error: unknown) => {
      if (error instanceof Api.Refused && error.status === 404) return {}
      throw error
    }
  )

const adopt = (): void => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(Drawing.css)
  document.adoptedStyleSheets.push(sheet)
}

let isAdopted = false

export const Timeline = ({
  attachments,
  iccid,
  organization,
  path
}: {
  readonly iccid: string
  /** Of its subscription, and of its organization. */
  readonly path: string
  readonly organization: string
  readonly attachments: ReadonlyArray<Course.Attachment>
}) => {
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const used = `${path}/usage?by=day,attachment&from=${firstDay(attachments)}`
  const { data, failure } = View.useReading(used, () => Api.read<ReadonlyArray<Course.Day>>(used))
  const throttled = [...new Set(attachments.filter(({ plan }) => plan.throttling).map(({ plan }) => plan._id))]
  const plans = View.useReading(
    `${organization} ${throttled}`,
    async () => new Map(await Promise.all(throttled.map(async (id) => [id, await planOf(organization, id)] as const))),
    null
  )
  useEffect(() => {
    if (!isAdopted) adopt()
    isAdopted = true
    const measure = (): void => setWidth(Math.max(NARROWEST, place.current?.clientWidth ?? 0))
    measure()
    window.addEventListener("resize", measure)
    return () => window.removeEventListener("resize", measure)
  }, [])
  const beside =
    data === undefined || plans.data === undefined ? null : { days: data, plans: plans.data, now: Api.now() }
  const drawn =
    beside === null || width === 0
      ? ""
      : Drawing.svg(Course.drawn(iccid, attachments, beside), {
          alone: false,
          styled: false,
          width,
          wordOf: (state) => Words.state(state).words
        })
  useEffect(() => {
    if (drawn === "") return
    const { documentElement } = new DOMParser().parseFromString(drawn, "image/svg+xml")
    place.current?.replaceChildren(documentElement)
  }, [drawn])
  return (
    <>
      <View.Failure>{failure ?? plans.failure}</View.Failure>
      <View.Scrolls label="Timeline">
        <div ref={place} />
      </View.Scrolls>
    </>
  )
}
