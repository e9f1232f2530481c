/**
 * The name that was most likely meant by one that is not known.
 */

/** How many letters have to be added, left out, changed or swapped with the next one to make one text of the other. */
const distance = (one: string, other: string): number => {
  let before: ReadonlyArray<number> = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const changed = (last[column - 1] ?? 0) + (isSame ? 0 : 1)
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const swapped = isSwapped ? (before[column - 2] ?? 0) + 1 : changed
      current.push(Math.min(changed, swapped, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    before = last
    last = current
  }
  return last[other.length] ?? 0
}

const LONGEST = 64

const plain = (name: string): string =>
  name
    .slice(0, LONGEST)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")

/** The nearest of the names, in any case and spelled with any separators; undefined where none is near. */
export const of = (given: string, names: ReadonlyArray<string>): string | undefined => {
  const wanted = plain(given)
  const [nearest] = names
    .map((name) => ({ name, far: distance(wanted, plain(name)) }))
    .filter(({ far, name }) => far <= Math.max(1, Math.floor(Math.min(wanted.length, plain(name).length) / 3)))
    .sort((one, other) => one.far - other.far)
  return nearest?.name
}
