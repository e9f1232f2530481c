/** All problems. */
import * as Problems from "../Problems.tsx"
import * as View from "../View.tsx"

export default () => (
  <>
    <h1>Problems</h1>
    <p>Work that ended because the telco refuses it. It stays here until it is retried or resolved.</p>
    <View.List label="Problems" path="/problems" columns={Problems.columns} empty={Problems.NONE} />
  </>
)
