/**
 * A program: makes the files of a new database in the directory that it is given, which is there
 * and empty, and ends.
 *
 * PGlite makes them in memory, beside the database that is opened then, with a copy of all memory
 * and two of the files: 850 MB at once, for good. Here they are written to the directory itself, no
 * database is opened, the copy leaves out the pages that are empty, and all of it is given back
 * when the program ends. If PGlite works otherwise one day, the program fails, or does not leave
 * a database; whoever started it makes one in the plain way.
 */
import { MemoryFS, PGlite, type PGliteOptions } from "@electric-sql/pglite"

const DATA = "/pglite/data"

/** Of WebAssembly, in bytes. */
const PAGE = 65_536
const nothing = Buffer.alloc(PAGE)
const isEmpty = (page: Uint8Array): boolean => nothing.equals(page)

/** A memory as it was: its pages, undefined if one was empty. */
type Image = ReadonlyArray<Uint8Array | undefined>

const pagesOf = (memory: Uint8Array, count = memory.length / PAGE): ReadonlyArray<Uint8Array> =>
  Array.from({ length: count }, (_, at) => memory.subarray(at * PAGE, (at + 1) * PAGE))

const imageOf = (memory: Uint8Array): Image => pagesOf(memory).map((page) => (isEmpty(page) ? undefined : page.slice()))

const restore = (memory: Uint8Array, image: Image): void => {
  for (const [at, page] of pagesOf(memory, image.length).entries()) {
    const was = image[at]
    if (was !== undefined) page.set(was)
    // A page that was never written takes no memory, and reading it takes none.
    else if (!isEmpty(page)) page.fill(0)
  }
}

/**
 * What initdb uses of a memory: it takes an image of all of it, and restores that before each
 * command.
 */
const sparse = (memory: Uint8Array) => ({
  slice: (...range: ReadonlyArray<unknown>): Image => {
    if (range.length > 0) throw new Error("initdb takes an image of a part of the memory")
    return imageOf(memory)
  },
  set: (image: Image): void => restore(memory, image)
})

const { create } = PGlite
Object.defineProperty(PGlite, "create", {
  value: async (options: PGliteOptions) => {
    const made = await create(options)
    let memory = made.Module.HEAPU8
    Object.defineProperty(made.Module, "HEAPU8", {
      get: () => sparse(memory),
      // The memory has grown.
      set: (grown: Uint8Array) => {
        memory = grown
      }
    })
    return made
  }
})

/**
 * A directory that initdb writes to itself, as it does to memory. The first time that it is saved,
 * it is complete.
 */
class Directory extends MemoryFS {
  override async init(...[pg, options]: Parameters<MemoryFS["init"]>): ReturnType<MemoryFS["init"]> {
    const { emscriptenOpts } = await super.init(pg, options)
    const mount: NonNullable<typeof emscriptenOpts.preRun>[number] = (mod) => {
      mod.FS.mkdirTree(DATA)
      mod.FS.mount(mod.NODEFS, { root: this.dataDir }, DATA)
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), mount] } }
  }

  override async syncToFs(): Promise<void> {
    process.exit(0)
  }
}

await create({ fs: new Directory(process.argv[2]) })
process.exit(1)
