/**
 * fast-check arbitraries for every value that the rules are about, for tests of simplan and of what embeds it.
 *
 *     fc.assert(fc.property(Arbitraries.PlanRequests.valid(), (terms) => …))
 */
export * as ActivePeriods from "./arbitraries/ActivePeriods.ts"
export * as Iccids from "./arbitraries/Iccids.ts"
export * as Instants from "./arbitraries/Instants.ts"
export * as PlanRequests from "./arbitraries/PlanRequests.ts"
export * as Regions from "./arbitraries/Regions.ts"
export * as UsageHistories from "./arbitraries/UsageHistories.ts"
