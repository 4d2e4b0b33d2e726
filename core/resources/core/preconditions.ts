import { message, pointer, string } from '../../schema/model.ts'

export const Preconditions = message('Preconditions', 'Conditions for an operation.', () => ({
  uid: pointer(1, string, 'UID that the object must have.', { goType: 'types.UID' }),
}))
