/**
 * What an organization used in a UTC month, beside the month before (rule U1): by day, as a plot,
 * and by country; each as a file too.
 */
import { UsageBook } from "simplan/ports"
import * as Api from "../Api.ts"
import * as Months from "../Months.tsx"
import { OfOrganization } from "../OfOrganization.tsx"
import * as Plot from "../Plot.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"
import * as Words from "../Words.ts"

type Usage = Types.Item<"organizationUsage", "ofOrganization">

/** How many months can be shown: usage is kept for longer. */
const MONTHS = 13

/** A UTC month by its first day, and its days. */
interface Month {
  readonly from: number
  /** Such as `November 2026`. */
  readonly name: string
  readonly days: number
}

const DAY = 86_400_000

const monthOf = (from: number): Month => ({
  from,
  name: Words.month(from),
  days: ((UsageBook.endOf({ month: from, bytes: 0 }) ?? from) - from) / DAY
})

const { megabytes: amount } = Words

/** What was used in a month and in the one before; null: there is no such day, or not yet. */
interface Row {
  readonly key: string
  readonly now: number | null
  readonly then: number | null
}

/** How much more one is than the other. */
const change = ({ now, then }: Row): string => {
  if (now === null || then === null) return "–"
  if (then === 0) return now === 0 ? "–" : "new"
  const percent = Math.round(((now - then) / then) * 100)
  return `${percent < 0 ? "−" : "+"}${Math.abs(percent).toLocaleString("en")} %`
}

const countryOf = (code: string | null): string => (code === null ? "not known" : Words.country(code))

/** It stays in one line, on a phone too. */
const shown = (bytes: number | null) => (bytes === null ? null : <span class="whole-line">{amount(bytes)}</span>)

const columns = (title: string, now: string, then: string): ReadonlyArray<View.Column<Row>> => [
  { title, of: ({ key }) => key },
  { title: now, of: (row) => shown(row.now) },
  { title: then, of: (row) => shown(row.then) },
  { title: "Change", of: change }
]

/** What was used on each day of a month. */
const byDay = (month: Month, found: ReadonlyArray<Usage>): ReadonlyArray<number> => {
  const used = new Map(found.map(({ day, used_bytes }) => [day, used_bytes]))
  return Array.from({ length: month.days }, (_, at) => used.get(UsageBook.dateOf(month.from + at * DAY)) ?? 0)
}

const sum = (all: ReadonlyArray<number>): number => all.reduce((total, one) => total + one, 0)

/** The countries of both, those with the most first. */
const byCountry = (now: ReadonlyArray<Usage>, then: ReadonlyArray<Usage>): ReadonlyArray<Row> => {
  const [used, usedThen] = [now, then].map(
    (all) => new Map(all.map(({ country_alpha_2: code, used_bytes }) => [countryOf(code ?? null), used_bytes]))
  )
  return [...new Set([...(used?.keys() ?? []), ...(usedThen?.keys() ?? [])])]
    .map((key) => ({ key, now: used?.get(key) ?? 0, then: usedThen?.get(key) ?? 0 }))
    .sort((one, other) => other.now - one.now || other.then - one.then)
}

const Shown = ({ month, path }: { readonly path: string; readonly month: Month }) => {
  const then = monthOf(Months.before(month.from))
  const begun = Math.min(month.days, Math.floor((Api.now() - month.from) / DAY) + 1)
  const isOver = begun === month.days
  const same = isOver ? then.days : Math.min(begun, then.days)
  const dates = ({ from }: Month, until: Month, days = until.days) =>
    `${path}?from=${UsageBook.dateOf(from)}&to=${UsageBook.dateOf(until.from + (days - 1) * DAY)}`
  const { data, failure } = View.useReading(
    dates(month, month, begun),
    async () => ({
      days: await Api.read<ReadonlyArray<Usage>>(`${dates(then, month)}&by=day`),
      now: await Api.read<ReadonlyArray<Usage>>(`${dates(month, month)}&by=country`),
      then: await Api.read<ReadonlyArray<Usage>>(`${dates(then, then, same)}&by=country`)
    }),
    null
  )
  if (data === undefined)
    return failure === null ? <p class="empty">Reading …</p> : <View.Failure>{failure}</View.Failure>
  const [used, usedThen] = [byDay(month, data.days), byDay(then, data.days)]
  const days = Array.from({ length: Math.max(month.days, then.days) }, (_, at) => {
    return { key: String(at + 1), now: at < begun ? (used[at] ?? null) : null, then: usedThen[at] ?? null }
  })
  const name = `usage-${Months.text(month.from)}`
  return (
    <>
      <p>
        {month.name}
        {!isOver && `, ${begun} of ${month.days} days`}: <strong>{amount(sum(used))}</strong>. {then.name}:{" "}
        {amount(sum(usedThen))}
        {!isOver && sum(usedThen) > 0 && `, ${amount(sum(usedThen.slice(0, same)))} of it on the same days`}. Days are
        of UTC. Reports that come late change days that are past.
      </p>
      <p class="actions">
        <Months.File
          label="Countries as CSV"
          name={`${name}-countries.csv`}
          path={`${dates(month, month)}&by=country`}
        />
        <Months.File
          label="Days and countries as CSV"
          name={`${name}-days.csv`}
          path={`${dates(month, month)}&by=day,country`}
        />
        <Months.File
          label="Both months as CSV"
          name={`${name}-months.csv`}
          path={`${dates(then, month)}&by=month,country`}
        />
      </p>
      <Plot.Pair
        title="By day"
        place="day"
        says={amount}
        former={{ name: then.name, values: usedThen }}
        latter={{ name: month.name, values: used }}
      />
      <h2>By country</h2>
      <View.Table
        label="Countries"
        columns={columns("Country", month.name, isOver ? then.name : `${then.name}, the same days`)}
        items={byCountry(data.now, data.then)}
        empty="Nothing was used."
      />
      <h2>By day</h2>
      <View.Table label="Days" isSlim columns={columns("Day", month.name, then.name)} items={days} empty="" />
    </>
  )
}

const Chosen = ({ of }: { readonly of: string }) => {
  const month = Months.chosen(MONTHS)
  return (
    <>
      <div class="filters">
        <Months.Choice count={MONTHS} />
      </div>
      <Shown key={month} month={monthOf(month)} path={`/organizations/${encodeURIComponent(of)}/usage`} />
    </>
  )
}

export default () => <OfOrganization title="Usage" Chosen={Chosen} />
