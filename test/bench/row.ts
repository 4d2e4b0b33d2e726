/** One line of the table that `npm run bench` prints. */
export interface Row {
  readonly name: string
  readonly ours: string
  readonly limit: string
  readonly ratio?: number
  readonly aim: string
}
