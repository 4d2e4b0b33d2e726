/** Why an allocation failed; the text is part of the client's error. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError'
}

/** The requested port belongs to another service. */
export const alreadyAllocated = () => new AllocationError('provided port is already allocated')
