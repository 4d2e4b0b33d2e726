import type { OutboundOptions } from '../ports.ts'

/** How to reach a webhook. */
export interface WebhookConnection {
  readonly url: string
  readonly options: Omit<OutboundOptions, 'timeout'>
  /** Value of the Authorization header, asked for before each call; absent: none. */
  authorization?(): Promise<string>
}
