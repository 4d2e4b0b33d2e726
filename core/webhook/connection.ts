import type { OutboundOptions } from '../ports.ts'

/** How to reach a webhook. */
export interface WebhookConnection {
  readonly url: string
  readonly options: Omit<OutboundOptions, 'timeout'>
  /** Value of the Authorization header, asked for before each call; absent: none. */
  authorization?(): Promise<string>
}

/** As client-go's REST client asks for a URL, absolute and valid: a clean path (no empty segments, no slash at its end), no query. */
export function cleanUrl(text: string): string {
  const [origin = ''] = /^[^/]*\/\/[^/?#]*/.exec(text) ?? []
  return `${origin}/${new URL(text).pathname.split('/').filter(Boolean).join('/')}`
}
