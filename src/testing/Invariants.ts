/**
 * What must hold of every history, whatever was done and whatever went wrong: named predicates,
 * each for some rules.
 *
 *     const violations = Invariants.check(history)
 *
 * They take a telco for granted that reports a package's times as it was asked for.
 */
import type { History } from "./History.ts"
import * as Answers from "./invariants/Answers.ts"
import * as Corrections from "./invariants/Corrections.ts"
import * as Inventory from "./invariants/Inventory.ts"
import * as Events from "./invariants/Events.ts"
import * as Facts from "./invariants/Facts.ts"
import type { Invariant, Violation } from "./invariants/Invariant.ts"
import * as Purchases from "./invariants/Purchases.ts"
import * as Stock from "./invariants/Stock.ts"
import * as Timing from "./invariants/Timing.ts"
import * as Usage from "./invariants/Usage.ts"

export * from "./invariants/Answers.ts"
export * from "./invariants/Corrections.ts"
export * from "./invariants/Inventory.ts"
export * from "./invariants/Events.ts"
export * from "./invariants/Facts.ts"
export * from "./invariants/Lifecycle.ts"
export { type Frame, framesOf, type Invariant, type Violation } from "./invariants/Invariant.ts"
export * from "./invariants/Purchases.ts"
export * from "./invariants/Stock.ts"
export * from "./invariants/Timing.ts"
export * from "./invariants/Usage.ts"

/** All of them. */
export const all: ReadonlyArray<Invariant> = [
  Answers.nothingBreaks,
  Timing.statesFollow,
  Timing.statesMoveForward,
  Timing.packagesAreThoseDue,
  Timing.occurrencesAreThereOnce,
  Timing.nothingIsEarly,
  Timing.nothingIsOrderedLate,
  Timing.advancesFinishTheirWork,
  Timing.jobsGoFirst,
  Facts.termsStay,
  Facts.factsStay,
  Facts.packagesStay,
  Facts.reportsCountOnce,
  Facts.usageIsWhatWasReported,
  Facts.firstUsesActivate,
  Facts.endsAreReported,
  Usage.daysSumToWhatIsUsed,
  Usage.usageIsBookedWhereItWas,
  Usage.organizationsUseWhatTheirSimsUse,
  Events.thresholdsFireOnce,
  Events.eventsHaveOneCause,
  Events.webhooksArrive,
  Events.idsOrderEvents,
  Inventory.simsAreInOnePlace,
  Inventory.downloadedSimsStay,
  Corrections.withdrawnSimsStay,
  Corrections.leftSimsStay,
  Corrections.correctionsAreTakenByTheRules,
  Purchases.purchasesAreAwaited,
  Purchases.salesAreSims,
  Purchases.loadsGoToTheirPlans,
  Purchases.returnedSimsAreUnsold,
  Stock.stockIsCounted,
  Stock.levelsAreAsSet,
  Inventory.stockIsGiven,
  Inventory.nothingCrossesOrganizations,
  Inventory.booksAreEqual,
  Inventory.nothingIsUnderWay,
  Inventory.packagesAreAsOrdered,
  Inventory.movesTakeEverything,
  Answers.creationsStay,
  Answers.creationsStayWhereverTheyMove,
  Answers.suspensionsStay,
  Answers.pausesStay,
  Answers.repetitionsAreAnsweredTheSame,
  Answers.messagesAreSentOnce,
  Answers.refusalsLeaveNothing,
  Answers.plansAreAsAskedFor,
  Answers.periodsAreTakenByTheRules
]

/** All violations of a history, one for each invariant that does not hold. */
export const check = (history: History, invariants: ReadonlyArray<Invariant> = all): ReadonlyArray<Violation> =>
  invariants.flatMap((invariant) => invariant.check(history) ?? [])
