/**
 * The bar that says on each page that nothing here is real: the telco is simulated, or the clock
 * stands still until it is moved. On such a clock all telcos are simulated, so it is moved without
 * a question.
 */
import * as Api from "./Api.ts"
import * as View from "./View.tsx"

const isSimulated = document.querySelector('meta[name="telco"]') !== null

const SPANS = [
  ["1 hour", "an hour"],
  ["1 day", "a day"],
  ["30 days", "30 days"]
] as const

const advance = async (by: string): Promise<void> => {
  await Api.call("POST", "/clock/advance", { body: { by } })
  await Api.readClock()
  View.refresh()
}

const mayAdvance = (): boolean => Api.allows("admin") && Api.operator.value?.organization_id === null

const VirtualClock = () => {
  View.useReading("virtual clock", Api.readClock)
  return (
    <>
      <span>
        The clock is virtual: it is <View.Time at={Api.clock.value?.now ?? null} isExact />.
      </span>
      {mayAdvance() && (
        <span class="actions">
          Advance by
          {SPANS.map(([by, name]) => (
            <View.Action
              key={by}
              label={name}
              name={`Advance by ${name}`}
              does={() => advance(by)}
              done={() => undefined}
            />
          ))}
        </span>
      )}
    </>
  )
}

export const Bar = () => {
  const isVirtual = Api.clock.value?.virtual === true
  if (!isVirtual && !isSimulated) return null
  return (
    <section class="sandbox" aria-label="Sandbox">
      {isSimulated && (
        <span>
          The telco is simulated<span class="aside">: nothing reaches a real SIM</span>.
        </span>
      )}
      {isVirtual && <VirtualClock />}
    </section>
  )
}
