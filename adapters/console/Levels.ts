/** The level of free eSIMs of a label, below which an organization is notified (rule I12). */
import { Stock } from "simplan/ports"
import * as Api from "./Api.ts"
import type { Task } from "./Task.tsx"
import type * as Types from "./Types.ts"

type Item = Types.Item<"organizationSims", "stock">

interface Level {
  readonly label: string
  readonly level: number
}

const levelsOf = (stock: ReadonlyArray<Item>): ReadonlyArray<Level> =>
  stock.flatMap(({ label, level }) => (level === null ? [] : [{ label, level }]))

/** Sets the level of one label; those of the others stay. */
export const task = (of: string, { label, level }: { readonly label: string; readonly level: number | null }): Task => {
  const path = `/organizations/${encodeURIComponent(of)}/sims/stock`
  return {
    title: "Set the level",
    about: `Of free eSIMs of the label ${label}.`,
    fields: () =>
      Promise.resolve([
        {
          name: "level",
          label: `Notify once fewer are free than (1 to ${Stock.HIGHEST}; never if this is empty)`,
          optional: true,
          initial: level === null ? "" : String(level)
        }
      ]),
    preview: ({ level: next = "" }) =>
      Promise.resolve([
        next.trim() === ""
          ? "Nobody would be notified of these eSIMs."
          : `\`stock.low\` would be sent once fewer than ${next} are free, to the endpoints that take it. The overview says so too.`
      ]),
    does: async ({ level: next = "" }) => {
      const others = levelsOf(await Api.read<ReadonlyArray<Item>>(path)).filter((one) => one.label !== label)
      const levels = next.trim() === "" ? others : [...others, { label, level: Number(next) }]
      await Api.call("PUT", `${path}/levels`, { body: { levels } })
      return "The level is set."
    }
  }
}
