/**
 * A simulated telco: implements simplan's `Telco` port in process.
 *
 *     TelcoSimulator.layerMemory()                                              // forgets with the process
 *     TelcoSimulator.layer().pipe(Layer.provide(SqlBooks.layer))                // needs a SqlClient; survives restarts
 */
export * as Books from "./Books.ts"
export * as Faults from "./Faults.ts"
export * as FileSettings from "./SimulatorFileSettings.ts"
export * as SimulatorBundles from "./SimulatorBundles.ts"
export * as SqlBooks from "./SqlBooks.ts"
export * as TelcoSimulator from "./TelcoSimulator.ts"
