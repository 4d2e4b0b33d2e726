/** The history after this revision is compacted, or the revision does not exist. */
export class TooOld extends Error {
  override readonly name = 'TooOld'
  constructor(requested: number, oldest: number) {
    super(`too old resource version: ${requested} (${oldest})`)
  }
}
