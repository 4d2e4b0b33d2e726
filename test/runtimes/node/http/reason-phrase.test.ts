/** The first line of responses over HTTP/1.1 has the reason phrase that Go's server writes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { test } from 'node:test'
import { Reply } from '../../../../core/answers/reply.ts'
import { authority, open } from '../support.ts'

async function phraseOf(url: string): Promise<string | undefined> {
  const [response] = (await once(get(url, { ca: authority.certPem, agent: false }), 'response')) as [IncomingMessage]
  response.resume()
  return response.statusMessage
}

/** From `net/http/status.go` of Go 1.26; 600 and 999 as kube-apiserver 1.36.2 answered with them. */
const phrases: readonly (readonly [status: number, phrase: string])[] = [
  [200, 'OK'],
  [404, 'Not Found'],
  [409, 'Conflict'],
  [413, 'Request Entity Too Large'],
  [414, 'Request URI Too Long'],
  [416, 'Requested Range Not Satisfiable'],
  [418, "I'm a teapot"],
  [422, 'Unprocessable Entity'],
  [499, 'status code 499'],
  [509, 'status code 509'],
  [599, 'status code 599'],
  [600, 'status code 600'],
  [999, 'status code 999'],
]

test('reason phrases are those of the reference', async () => {
  await using opened = await open((request) => new Reply('', { status: Number(new URL(request.url).pathname.slice(1)) }))
  for (const [status, phrase] of phrases) assert.equal(await phraseOf(`${opened.url}/${status}`), phrase, `${status}`)
})
