/** Why an allocation failed; the text is part of the client's error. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError'
}
