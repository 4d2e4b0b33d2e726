/** Why an allocation failed; the text is part of the client's error. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken'
}
