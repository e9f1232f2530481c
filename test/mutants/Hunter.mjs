// A process that plants faults in the engine, one after the other, and searches what does not hold
// of it. It is started anew where a fault has made it run for ever.
import { fork } from "node:child_process"
import { join } from "node:path"

/**
 * A run that says nothing for so many milliseconds never ends; hunting.mjs itself reports those
 * that do not block it.
 */
const WAIT_LIMIT = 300_000

export class Hunter {
  #root
  #seed
  #child

  constructor(root, seed) {
    this.#root = root
    this.#seed = seed
  }

  /**
   * What the simulations find with that text in the file, and in which run; null where they find
   * nothing. `hint` names the run that is tried first.
   */
  hunt(file, text, hint) {
    this.#child ??= fork(join(this.#root, "test/mutants/hunting.mjs"), { cwd: this.#root })
    const child = this.#child
    return new Promise((resolve) => {
      let run = "the start"
      let timer
      const done = (found, isUsable) => {
        clearTimeout(timer)
        child.off("message", receive)
        child.off("exit", gone)
        if (!isUsable) this.close()
        resolve(found)
      }
      const wait = () => {
        clearTimeout(timer)
        timer = setTimeout(() => done({ run, what: "it never ends" }, false), WAIT_LIMIT)
      }
      const receive = (message) => {
        wait()
        if (message.run !== undefined) run = message.run
        else if (message.isOver) done(null, true)
        else done({ run, what: message.complaint }, !message.isEndless)
      }
      const gone = (code) => done({ run, what: `it ends with code ${code}` }, false)
      wait()
      child.on("message", receive)
      child.on("exit", gone)
      child.send({ file, text, hint, seed: this.#seed })
    })
  }

  close() {
    this.#child?.kill("SIGKILL")
    this.#child = undefined
  }
}
