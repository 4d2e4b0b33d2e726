import { readText } from '../../../outgoing/read-text.ts'
import type { Context, Egress, Outbound } from '../../../ports.ts'

/** Gets a body of bounded size. Rejects with an Error unless the status is a success, and when the context ends. */
export type HttpsGet = (url: string, context: Context | undefined, bearer?: string) => Promise<string>

/** Timeout in milliseconds of a call, including its body. */
const timeout = 30_000
/** Maximum bytes of a body. */
const maxAnswerBytes = 1024 * 1024

/** HTTPS GET that trusts the given roots (PEM; empty: the host's roots). `egress`: traffic class. */
export function createGet(outbound: Pick<Outbound, 'fetch'>, certificateAuthority: string, egress?: Egress): HttpsGet {
  const options = { timeout, ...(egress && { egress }), ...(certificateAuthority !== '' && { certificateAuthority }) }
  return async (url, context, bearer) => {
    const headers = { accept: 'application/json, */*', ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) }
    const response = await outbound.fetch(new Request(url, { headers, ...(context && { signal: context.signal }) }), options)
    if (response.ok) return readText(response, maxAnswerBytes)
    void response.body?.cancel().catch(() => undefined)
    throw new Error(`Get ${JSON.stringify(url)}: status ${response.status}`)
  }
}
