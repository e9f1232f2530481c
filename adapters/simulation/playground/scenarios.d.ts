/** The scenarios of `examples/simulate`, which the build puts in. */
declare module "virtual:scenarios" {
  const scenarios: ReadonlyArray<{ readonly name: string; readonly scenario: { readonly title: string } }>
  export default scenarios
}
