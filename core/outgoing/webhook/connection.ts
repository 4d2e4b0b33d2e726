import type { OutboundOptions } from '../../ports.ts'

/** Connection to a webhook. */
export interface WebhookConnection {
  readonly url: string
  readonly options: Omit<OutboundOptions, 'timeout'>
  /** Value of the Authorization header, computed before each call; absent: none. */
  authorization?(): Promise<string>
}

/** Normalizes an absolute URL as client-go's REST client does: no empty path segments, no slash at the end, no query. */
export function cleanUrl(text: string): string {
  const [origin = ''] = /^[^/]*\/\/[^/?#]*/.exec(text) ?? []
  return `${origin}/${new URL(text).pathname.split('/').filter(Boolean).join('/')}`
}
