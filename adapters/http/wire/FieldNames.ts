/**
 * The wire's names of the domain's fields. A name that is not in the table becomes snake_case, so a new field of the
 * domain never appears in camelCase. Names in snake_case stay as they are.
 */

const table: Readonly<Record<string, string>> = {
  dataMegaBytes: "data_MBs",
  occurrences: "nb_occurrence",
  frequency: "recurring_periodicity_frequency",
  throttlingThreshold1Percentage: "throttling_threshold1_perc",
  throttlingThreshold2Percentage: "throttling_threshold2_perc",
  throttlingThreshold3Percentage: "throttling_threshold3_perc",
  iso2List: "iso2_list"
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The wire's name of a field. Each part of a path such as `activePeriod.start` is renamed. */
export const toWire = (field: string): string =>
  field
    .split(".")
    .map((part) => table[part] ?? (part.includes("_") ? part : snakeCase(part)))
    .join(".")
