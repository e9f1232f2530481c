// Where the faults stand: the text of each faulty file, and what is wrong with the list of faults
// itself.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync } from "vite"

export class Placement {
  #root
  #texts = new Map()

  constructor(root) {
    this.#root = root
  }

  /** Relative to the repository. */
  pathOf({ file, folder }) {
    return `${folder}/${file}`
  }

  /** What is right. */
  textOf(fault) {
    const path = this.pathOf(fault)
    if (!this.#texts.has(path)) this.#texts.set(path, readFileSync(join(this.#root, path), "utf8"))
    return this.#texts.get(path)
  }

  faultyTextOf(fault) {
    return this.textOf(fault).replace(fault.right, () => fault.wrong)
  }

  /**
   * A sentence for each fault whose text is not exactly once in its file, that changes nothing, or
   * that is there twice.
   */
  complaints(faults) {
    const misplaced = faults.flatMap((fault) => {
      const { file, name, right, wrong } = fault
      const times = this.textOf(fault).split(right).length - 1
      if (times !== 1) return [`${file}: "${name}": its text is there ${times} times, not once: ${right}`]
      if (right === wrong) return [`${file}: "${name}" changes nothing`]
      const [error] = parseSync(file, this.faultyTextOf(fault)).errors
      return error === undefined ? [] : [`${file}: "${name}" is no TypeScript any more: ${error.message}`]
    })
    const names = faults.map(({ file, name }) => `${file}: "${name}"`)
    const twice = names.filter((name, index) => names.indexOf(name) < index)
    return [...misplaced, ...twice.map((name) => `${name} is there twice`)]
  }
}
