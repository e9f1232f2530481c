/**
 * Small plots of how often something happened: a bar for each span, with what failed of it below in
 * another colour.
 */
import * as View from "./View.tsx"

export interface Counts {
  readonly all: ReadonlyArray<number>
  readonly failed: ReadonlyArray<number>
}

const HEIGHT = 100

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

const grouped = (value: number): string => value.toLocaleString("en")

export const Plot = ({
  counts,
  from,
  title
}: {
  readonly title: string
  readonly from: string
  readonly counts: Counts
}) => {
  const { all, failed } = counts
  const most = Math.max(1, ...all)
  const lost = sum(failed)
  const said = `${grouped(sum(all))}${lost === 0 ? "" : `, ${grouped(lost)} failed`}`
  return (
    <figure class="plot">
      <figcaption>
        {title}: <span class={lost === 0 ? "" : "bad"}>{said}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={`${title}: ${said}, at most ${grouped(most)} in five minutes`}
        viewBox={`0 0 ${all.length} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {all.map((count, at) => {
          const [height, bad] = [(count * HEIGHT) / most, ((failed[at] ?? 0) * HEIGHT) / most]
          return (
            <g key={at}>
              <rect class="count" x={at + 0.1} width={0.8} y={HEIGHT - height} height={height} />
              <rect class="failed" x={at + 0.1} width={0.8} y={HEIGHT - bad} height={bad} />
            </g>
          )
        })}
      </svg>
      <p class="note">
        <View.Time at={from} /> to now
      </p>
    </figure>
  )
}
