/** All problems. */
import { List } from "../List.tsx"
import * as Problems from "../Problems.tsx"

export default () => (
  <>
    <h1>Problems</h1>
    <p>Work that ended because the telco refuses it. It stays here until it is retried or resolved.</p>
    <List label="Problems" path="/problems" columns={Problems.columns} empty={Problems.NONE} />
  </>
)
