type Query = (
  text: string,
  parameters?: ReadonlyArray<unknown>
) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
export const open: (database: string) => Promise<{ readonly query: Query; readonly close: () => Promise<void> }>
export const carryOver: (query: Query, name: string) => Promise<string>
