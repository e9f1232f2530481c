// Loaded into a process by `--import`: moves the clock of its machine SHIFT_MILLIS ahead.
const shift = Number(process.env.SHIFT_MILLIS)
const RealDate = Date

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shift)
    else super(...given)
  }
  static now() {
    return RealDate.now() + shift
  }
}
