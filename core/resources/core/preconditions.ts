import { message, pointer, string } from '../../schema/model.ts'

export const Preconditions = message('Preconditions', 'What must hold for an operation to go ahead.', {
  uid: pointer(1, string, 'UID that the object must have.'),
})
