import type { ByteStream } from '../ports.ts'

/** In place of the body of a response that switches protocols. */
export interface UpgradeBody {
  /** Takes the stream, once the head of the response has been sent. */
  readonly use: (stream: ByteStream) => void
}

export const isUpgradeBody = (body: unknown): body is UpgradeBody => typeof body === 'object' && body !== null && 'use' in body
