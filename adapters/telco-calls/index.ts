/**
 * What adapters of real telcos share: the journal of calls, how calls fail, and what keeps them
 * from too many.
 *
 *     Account.Account                       // what an account at a supplier has beside the port
 *     AccountComparison.make({ account, … }) // what the supplier's orders and ours differ in
 *     Answers.text(response)                // the body of an answer, unless it is too long
 *     Answers.isUnsent(error)               // whether no connection was made
 *     CallGate.make({ telco })              // what calls pass: slots, rate, circuit breaker, metrics
 *     CallGate.asPoll(calls)                // gives way to orders
 *     Background.turn(what, work)           // work beside calls, in turns that give way to them
 *     CallFailure.toPort(failure)           // what a failed call is to the caller of the telco port
 *     CallRecords.make(journal, of, schema) // what is known of calls of a kind, and `once`
 *     Claims.use(journal, of, work)         // entries that are due, under a lease
 *     FileSettings.kind(…)                  // what a kind of telco has in the settings file
 *     Journal.layerMemory                   // forgets with the process
 *     Journal.purgeForever(journal, telcos) // deletes entries of calls that are over
 *     SqlJournal.layer, layerIn(schema)     // needs a SqlClient; survives restarts, and processes may share it
 *     SqlTables.ensure(schema, tables)      // tables of one's own in the schema of the service
 *     KeylessTelco.make(system, journal)    // the port over a system that knows no keys
 *     Polls.make({ telco, poll, … })        // polls SIMs that are due, and reports what is new
 *     Messages.make(journal, locks, …)      // sends messages once, in one segment or several
 *     PollSchedule.next(packages, limits)   // when a SIM is polled again
 *     Purchases.make(seller, { telco, … })  // buys SIMs with their loads, each once
 *     Selling.make({ purchases, readNow, … })  // the calls of the port at a supplier that sells SIMs
 *     ServiceChanges.make(call, options)    // pauses and resumes SIMs at such a system
 *     SimLocks.make(journal, { telco })     // calls about one SIM follow each other
 *     Sweep.make({ kind, polls, … })        // finds SIMs that nobody polls
 *     Turns.make({ window, pace, … })       // when the next call begins, and whose it is
 */
export * as Account from "./Account.ts"
export * as AccountComparison from "./purchases/AccountComparison.ts"
export * as Answers from "./Answers.ts"
export * as Background from "./polls/Background.ts"
export * as CallFailure from "./CallFailure.ts"
export * as CallGate from "./CallGate.ts"
export * as CallRecords from "./CallRecords.ts"
export * as Claims from "./Claims.ts"
export * as FileSettings from "./FileSettings.ts"
export * as Journal from "./Journal.ts"
export * as KeylessTelco from "./KeylessTelco.ts"
export * as Polls from "./polls/Polls.ts"
export type * as PollState from "./polls/PollState.ts"
export * as Messages from "./Messages.ts"
export * as PollSchedule from "./polls/PollSchedule.ts"
export * as PurchasedLoads from "./PurchasedLoads.ts"
export * as Purchases from "./Purchases.ts"
export * as Selling from "./Selling.ts"
export * as ServiceChanges from "./ServiceChanges.ts"
export * as SimLocks from "./SimLocks.ts"
export * as SqlJournal from "./SqlJournal.ts"
export * as SqlTables from "./SqlTables.ts"
export * as Sweep from "./polls/Sweep.ts"
export * as Turns from "./Turns.ts"
