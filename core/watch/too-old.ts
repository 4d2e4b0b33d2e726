/** The changes after a revision are no longer known, or there is no such revision any more. */
export class TooOld extends Error {
  override readonly name = 'TooOld'
  constructor(requested: number, oldest: number) {
    super(`too old resource version: ${requested} (${oldest})`)
  }
}
