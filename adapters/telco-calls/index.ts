/**
 * What adapters of real telcos share: the journal of calls, how calls fail, and what keeps them from too many.
 *
 *     Answers.text(response)               // the body of an answer, unless it is too long
 *     MemoryJournal.layer                  // forgets with the process
 *     SqlJournal.layer, layerIn(schema)    // needs a SqlClient; survives restarts, and processes may share it
 *     CallControl.make({ telco })          // runs calls: rate, circuit breaker, metrics
 *     ConnectionError.isUnsent(error)      // whether no connection was made
 *     KeylessTelco.make(system, journal)   // the port over a system that knows no keys
 *     PortFailure.of(failure)              // what a failed call is to the caller of the telco port
 *     Priority.asPoll(calls)               // gives way to orders
 *     Purge.forever(journal, telcos)       // deletes entries of calls that are over
 *     RetryAfter.seconds(header, now)      // how long an answer asks to wait
 *     SimLocks.make(journal, { telco })    // calls about one SIM follow each other
 */
export * as Answers from "./Answers.ts"
export * as CallControl from "./CallControl.ts"
export * as CallFailure from "./CallFailure.ts"
export * as CallKinds from "./CallKinds.ts"
export * as ConnectionError from "./ConnectionError.ts"
export * as Journal from "./Journal.ts"
export * as KeylessTelco from "./KeylessTelco.ts"
export * as MemoryJournal from "./MemoryJournal.ts"
export * as PortFailure from "./PortFailure.ts"
export * as Priority from "./Priority.ts"
export * as Purge from "./Purge.ts"
export * as RetryAfter from "./RetryAfter.ts"
export * as SimLocks from "./SimLocks.ts"
export * as SqlJournal from "./SqlJournal.ts"
