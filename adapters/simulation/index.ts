/**
 * The entry point `simplan/testing`: the kit of `src/testing`, and the simulation that its random
 * runs go through.
 */
export * from "../../src/testing/index.ts"
export * as Simulation from "./Simulation.ts"
export * as Cluster from "./cluster/Cluster.ts"
