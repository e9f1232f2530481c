// Where a module of the built tree lies, in what the build makes of modules: the command's program
// and the library. A module finds the files beside it by that, in whichever part it is.
import { dirname, join, relative, sep } from "node:path"

/** What a module says of where it lies. */
const HERE = "import.meta.url"

/** That, until it is known in which part the module is. */
const PLACE = "__simplan_module"
const PLACED = /__simplan_module\("([^"]+)"\)/g

/** The plugin for a build of the tree `target` into its folder `folder`. */
export const modules = (target, folder) => ({
  name: "simplan-modules",
  enforce: "pre",
  transform: (code, id) => {
    if (!id.startsWith(target) || !code.includes(HERE)) return null
    const module = relative(target, id).split(sep).join("/")
    return code.replaceAll(HERE, `${PLACE}(${JSON.stringify(module)})`)
  },
  // A bundle of a host's in CommonJS has no `import.meta.url`, and bundlers take `new URL` of a
  // name for a file that has to be there.
  renderChunk: (code, { fileName }) => {
    const placed = (_, module) => {
      const from = relative(dirname(join(target, folder, fileName)), join(target, module))
      return `import.meta.url?.replace(/[^/]*$/, ${JSON.stringify(from.split(sep).join("/"))})`
    }
    return code.includes(PLACE) ? code.replace(PLACED, placed) : null
  }
})
