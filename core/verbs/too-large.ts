/** Who owns which field can outgrow an object: one that the store finds too large is written once more without that. */
import { StoreError } from '../ports.ts'
import type { Recorder } from './ownership.ts'

/** Records that nobody owns anything. */
export const disown: Recorder = ({ metadata }) => {
  delete metadata.managedFields
}

/** Writes; and `again`, when the store finds it too large. */
export async function ifTooLarge<T>(write: () => Promise<T>, again: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof StoreError && error.code === 'too-large') return again()
    throw error
  }
}
