/**
 * `simplan jobs list` and `jobs retry [ID]`; `simplan problems`, `problems retry ID` and
 * `problems resolve ID` (rule S6).
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Operations from "./Operations.ts"

export const jobs = Command.make("jobs").pipe(
  Command.withDescription("Work that was tried and waits for its next try."),
  Command.withSubcommands([
    Operations.list(
      "list",
      "jobs.list",
      ["job_id", "kind", "reason", "since", "next_try_at", "attempts", "iccid", "last_message", "organization_id"],
      {
        says: "List the work of all organizations that was tried and waits for its next try, oldest first, with the reason.",
        examples: [{ command: "simplan jobs list --reason unavailable" }],
        then: (client) =>
          Effect.map(Operations.send(client, "problems.list", { query: { page_size: "1" } }), ({ data }) =>
            data.length === 0 ? null : "What the telco refuses for good is not tried again: see simplan problems."
          )
      }
    ),
    Operations.oneOrAll("retry", "jobs.retry", "jobs.retryAll", {
      says: "Have work tried now that waits for its next try: one job, or all that the flags take.",
      counts: "retried",
      such: "--reason unavailable",
      otherwise: "None of them waits for its next try. What is being tried now is not retried.",
      examples: [
        { command: "simplan jobs retry cancel:0197…" },
        { command: "simplan jobs retry --reason unavailable", description: "All that the telco did not answer" }
      ]
    })
  ])
)

export const problems = Operations.list(
  "problems",
  "problems.list",
  ["problem_id", "iccid", "last_message", "ours", "theirs", "kind", "since", "attempts", "organization_id"],
  {
    says: "List what ended because the telco refused it three times, where its books differ from ours, and balances below their level, oldest first."
  }
).pipe(
  Command.withShortDescription("What the telco refuses for good, or has otherwise: list, retry, correct, resolve"),
  Command.withSubcommands([
    Operations.record("retry", "problems.retry", {
      says: "Have the telco asked again, now, and up to three times.",
      examples: [{ command: "simplan problems retry release:0197…" }]
    }),
    Operations.record("correct", "problems.correct", {
      says: "Make the telco's side ours: have it asked for what is had here, or cancel what nobody has.",
      examples: [{ command: "simplan problems correct review:ocs/service/8988…" }]
    }),
    Operations.record("resolve", "problems.resolve", {
      says: "Close a problem that was dealt with at the telco by hand.",
      examples: [{ command: "simplan problems resolve release:0197…" }]
    })
  ])
)
