/** Why something could not be taken; the text goes into what the client is told. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken'
}
