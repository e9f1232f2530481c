// What is printed of verdicts.

const line = ({ file, name, rule }, said) =>
  `${file.replace(".ts", "").padEnd(18)} ${rule.padEnd(5)} ${name.padEnd(66)} ${said}`

/**
 * Takes the verdict of the fault of that index, and prints each as soon as all before it are there.
 */
export const reporter = (faults, said) => {
  const verdicts = []
  let printed = 0
  const report = (index, verdict) => {
    verdicts[index] = verdict
    for (; verdicts[printed] !== undefined; printed++) console.log(line(faults[printed], said(verdicts[printed])))
  }
  return Object.assign(report, { verdicts })
}

export const percent = (share) => `${(Math.floor(share * 1_000) / 10).toFixed(1)} %`
