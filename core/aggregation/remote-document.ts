/** Documents of other servers, which may be of any size and shape: what is larger than any real one is refused by name. */

import type { Pauses, Slices } from '../common/slices.ts'
import type { QueueMetrics } from '../controllers/queue-metrics.ts'
import type { Clock, Logger } from '../ports.ts'
import { type DocumentBounds, parseInSlices } from '../schema/json/in-slices.ts'
import { isObject } from '../schema/json/is-object.ts'
import type { JsonObject } from '../schema/model.ts'
import type { AskServices, DocumentAnswer } from './ask.ts'
import type { RemoteRegistration } from './registration.ts'
import { UnusableDocument } from './unusable-document.ts'

/** Keeps documents of the servers of all registrations, which are named. */
export interface RegistrationFollower {
  /** The registration is new, or has changed. */
  update(name: string): void
  remove(name: string): void
  close(): void
}

export interface RemoteDocumentsOptions extends AskServices<RemoteRegistration> {
  /** By name. */
  readonly registrations: ReadonlyMap<string, RemoteRegistration>
  readonly clock: Clock
  readonly pauses: Pauses
  readonly logger: Logger
  readonly queues: QueueMetrics
}

/** Maximum bytes of a document. */
export const maxDocumentBytes = 16 * 1024 * 1024

/** The Swagger document of all built-in resources has 1.3 MB, 54,000 values, 10 levels, and rows of a few thousand values. */
const bounds: DocumentBounds = { depth: 250, values: 500_000, rowValues: 50_000 }

/** Parses a document, and uses it. Rejects with UnusableDocument when either fails. */
export async function useDocument<T>(
  { url, text }: Pick<DocumentAnswer, 'url' | 'text'>,
  slices: Slices,
  use: (document: JsonObject) => T | Promise<T>,
): Promise<T> {
  try {
    const value = await parseInSlices(text, bounds, slices)
    if (!isObject(value)) throw new Error('the document is not an object')
    return await use(value)
  } catch (error) {
    throw slices.ended ? error : new UnusableDocument(url, error)
  }
}
