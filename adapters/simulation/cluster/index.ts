/**
 * Several processes of the production engine on one storage, under a seeded scheduler and faults.
 */
export { limits, run, type World } from "./Cluster.ts"
export type { Fault, Plan, Step } from "./Plan.ts"
export { of as verdict, type Verdict } from "./Verdict.ts"
