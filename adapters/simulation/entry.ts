/**
 * What is loaded as `simplan/testing`. The property tests need `fast-check`, which is an optional
 * dependency: if it is missing, the import fails with one sentence that says what to install. It
 * waits for that import, which `require` may not: `require` has `index.ts`.
 */
const load = async () => {
  try {
    return await import("./index.ts")
  } catch (cause) {
    const isMissing = String(cause).includes("Cannot find package 'fast-check'")
    if (!isMissing) throw cause
    const message = "simplan/testing needs the package fast-check, which is not installed: npm install fast-check"
    throw new Error(message, { cause })
  }
}

export const {
  Arbitraries,
  Cluster,
  Commands,
  History,
  Invariants,
  JsonText,
  Simulated,
  Simulation,
  StorageSuite,
  Suite,
  TelcoSuite,
  TimingModel
} = await load()
