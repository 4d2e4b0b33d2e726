/**
 * A process that answers token reviews over TLS. The token selects the answer (`good-NAME`, `held`, `dead`, …). GET
 * /count returns the number of reviews per token. Prints its port.
 */

import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

const { key, cert, ca } = JSON.parse(process.env['TLS'] ?? '{}') as { key: string; cert: string; ca: string }
const counts: { [token: string]: number } = {}

interface Review {
  readonly apiVersion: string
  readonly spec: { readonly token: string; readonly audiences?: readonly string[] }
}

function endless(response: ServerResponse): void {
  const chunk = 'x'.repeat(64 * 1024)
  const more = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', more)
  }
  response.write('{"status":{"error":"')
  more()
}

type Reply = (review: Review, response: ServerResponse, end: (status: object, version?: string) => void) => void

const userOf = ({ apiVersion, spec: { token } }: Review) => ({
  username: token.replace(/^\w+-/, ''),
  uid: 'u1',
  groups: ['hooked'],
  extra: { 'example.com/asked': [apiVersion] },
})
const accepted = (review: Review) => ({ authenticated: true, user: userOf(review) })
const withStatus =
  (code: (review: Review) => number): Reply =>
  (review, response, end) => {
    response.statusCode = code(review)
    end(accepted(review))
  }

/** Responses held back until a token `release`. */
const held: (() => void)[] = []

/** Responses by the first word of the token. */
const replies: { readonly [word: string]: Reply } = {
  good(review, _response, end) {
    const { audiences } = review.spec
    end({ ...accepted(review), ...(audiences && { audiences: audiences.slice(0, 1) }) })
  },
  plain: (review, _response, end) => end(accepted(review)),
  elsewhere: (review, _response, end) => end({ ...accepted(review), audiences: ['https://elsewhere'] }),
  held: (review, _response, end) => void held.push(() => end(accepted(review))),
  release(review, _response, end) {
    for (const free of held.splice(0)) free()
    end(accepted(review))
  },
  refused: (_review, _response, end) => end({ authenticated: false, error: 'expired on the other side' }),
  dead: (_review, response) => void response.socket?.destroy(),
  stalled: (_review, response) => void response.write('{"status":'),
  huge: (_review, response) => endless(response),
  malformed: (_review, response) => void response.end('{"status": {"authenticated": tr'),
  html: (_review, response) => void response.end('<html>welcome</html>'),
  strange: (review, _response, end) => end({ ...accepted(review), authenticated: 'yes' }),
  wrongversion: (review, _response, end) => end(accepted(review), 'authentication.k8s.io/v7'),
  failing: withStatus(() => 500),
  recovering: withStatus(({ spec: { token } }) => (counts[token] === 1 ? 500 : 200)),
  forbidden: withStatus(() => 403),
}

function answer(review: Review, response: ServerResponse): void {
  const end = (status: object, version = review.apiVersion) =>
    void response.end(JSON.stringify({ kind: 'TokenReview', apiVersion: version, status }))
  const reply = replies[review.spec.token.split('-')[0] ?? '']
  if (reply) reply(review, response, end)
  else end({ authenticated: false })
}

const server = createServer({ key, cert, ca, requestCert: true, rejectUnauthorized: true }, (request, response) => {
  if (request.method === 'GET') return void response.end(JSON.stringify(counts))
  let text = ''
  request.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  request.on('end', () => {
    const review = JSON.parse(text) as Review
    counts[review.spec.token] = (counts[review.spec.token] ?? 0) + 1
    answer(review, response)
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
