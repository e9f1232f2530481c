/**
 * A map whose entries are forgotten by age: report ids and idempotency records.
 */
import type { Time } from "simplan"
import { byNumber, byText } from "./Order.ts"
import { SortedSet } from "./SortedSet.ts"

interface Age {
  readonly at: Time.Instant
  readonly key: string
}

export class Dated<Value> {
  readonly #entries = new Map<string, { readonly age: Age; readonly value: Value }>()
  readonly #byAge = new SortedSet<Age>((left, right) => byNumber(left.at, right.at) || byText(left.key, right.key))

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value
  }

  set(key: string, at: Time.Instant, value: Value): void {
    this.delete(key)
    const age = { at, key }
    this.#entries.set(key, { age, value })
    this.#byAge.add(age)
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#byAge.delete(entry.age)
  }

  /** Forgets the entries from before an instant; answers how many there were. */
  forgetBefore(instant: Time.Instant): number {
    let forgotten = 0
    for (let age = this.#byAge.first(); age !== undefined && age.at < instant; age = this.#byAge.first()) {
      this.delete(age.key)
      forgotten++
    }
    return forgotten
  }
}
