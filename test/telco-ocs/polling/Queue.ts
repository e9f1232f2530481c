/**
 * A queue by due time: a binary heap of numbers, which holds a million entries in little memory.
 */
export class Queue {
  private readonly dueAt: Array<number> = []
  private readonly places: Array<number> = []
  private readonly values: Array<number> = []

  /** When the first is due; infinity if there is none. */
  get first(): number {
    return this.dueAt[0] ?? Number.POSITIVE_INFINITY
  }

  push(dueAt: number, place: number, value: number): void {
    this.dueAt.push(dueAt)
    this.places.push(place)
    this.values.push(value)
    let at = this.dueAt.length - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.at(parent) <= this.at(at)) return
      this.swap(parent, at)
      at = parent
    }
  }

  /** Takes the first one off. */
  take(): { readonly place: number; readonly value: number } {
    this.swap(0, this.dueAt.length - 1)
    this.dueAt.pop()
    const taken = { place: this.places.pop() ?? 0, value: this.values.pop() ?? 0 }
    let at = 0
    for (;;) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      const child = this.at(right) < this.at(left) ? right : left
      if (this.at(child) >= this.at(at)) return taken
      this.swap(child, at)
      at = child
    }
  }

  private at(index: number): number {
    return this.dueAt[index] ?? Number.POSITIVE_INFINITY
  }

  private swap(one: number, other: number): void {
    for (const list of [this.dueAt, this.places, this.values]) {
      const [left = 0, right = 0] = [list[one], list[other]]
      list[one] = right
      list[other] = left
    }
  }
}
