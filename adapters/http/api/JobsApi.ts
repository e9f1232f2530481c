/**
 * The management API's jobs, which were tried and wait for their next try, and its problems: work that ended because the telco
 * refuses it (rule S6).
 */
import { problems, waitingJobs } from "../../operations/Jobs.ts"
import * as Rows from "./Rows.ts"
import * as Schemas from "./Schemas.ts"

export class JobsApi extends Rows.group("jobs", waitingJobs)
  .annotateMerge(
    Schemas.group("Management: jobs", "Work that was tried and waits for its next try, of all organizations.")
  )
  .prefix("/admin/v1") {}

export class ProblemsApi extends Rows.group("problems", problems)
  .annotateMerge(Schemas.group("Management: problems", "Work at the telco that ended in refusals, and needs a person."))
  .prefix("/admin/v1") {}
