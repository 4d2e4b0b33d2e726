/** Redirects of webhooks, for both clients: as Go's http.Client follows them, but to the same origin only. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createCall } from '../../../../core/outgoing/webhook/call.ts'
import type { WebhookConnection } from '../../../../core/outgoing/webhook/connection.ts'
import { post } from '../../../../core/outgoing/webhook/post.ts'
import { ManualClock } from '../../../support/clock.ts'

const origin = 'https://hook.test:8443'
const connection: WebhookConnection = { url: `${origin}/review`, options: {}, authorization: async () => 'Bearer ours' }

/** A webhook whose paths answer with these redirects, and otherwise with what was sent to them. */
function webhook(redirects: { readonly [path: string]: readonly [status: number, location: string] }) {
  const requests: string[] = []
  const fetch = async (request: Request) => {
    const { method, url, headers } = request
    const body = await request.text()
    const sent = `${method} ${url.replace(origin, '')} ${body} ${headers.get('content-type')} ${headers.get('referer')?.replace(origin, '')}`
    requests.push(sent)
    assert.equal(headers.get('authorization'), 'Bearer ours')
    assert.equal(request.redirect, 'manual')
    const [status, location] = redirects[new URL(url).pathname] ?? []
    return location === undefined ? new Response(sent) : new Response('moved', { status: status ?? 302, headers: { location } })
  }
  return { requests, outbound: { fetch } }
}

const clients = {
  post: (outbound: ReturnType<typeof webhook>['outbound']) =>
    post({ connection, outbound, clock: new ManualClock(), body: '{}', timeout: 10_000 }),
  call: (outbound: ReturnType<typeof webhook>['outbound']) =>
    createCall({ connection, outbound, clock: new ManualClock(), timeout: 10_000 })('{}'),
}

const first = '/review?timeout=10s'

for (const [name, send] of Object.entries(clients))
  describe(name, () => {
    for (const status of [301, 302, 303])
      test(`${status} leads to a GET without the body, also behind a later 307`, async () => {
        const { outbound } = webhook({ '/review': [status, '/b?c'], '/b': [307, 'd'] })
        assert.equal(await send(outbound), `GET /d  null ${'/b?c'}`)
      })

    for (const status of [307, 308])
      test(`${status} repeats the request`, async () => {
        const { outbound, requests } = webhook({ '/review': [status, `${origin}/b`] })
        assert.equal(await send(outbound), `POST /b {} application/json ${first}`)
        assert.equal(requests.length, 2)
      })

    test('nine redirects are followed, and no tenth', async () => {
      const chain = (length: number) =>
        webhook({
          '/review': [307, '/1'],
          ...Object.fromEntries(Array.from({ length: length - 1 }, (_, index) => [`/${index + 1}`, [307, `/${index + 2}`] as const])),
        })
      assert.equal(await send(chain(9).outbound), 'POST /9 {} application/json /8')
      const { outbound, requests } = chain(10)
      await assert.rejects(send(outbound), /Post "\/10": stopped after 10 redirects/)
      assert.equal(requests.length, 10)
    })

    for (const location of [
      ...['https://other.test/', 'https://hook.test/', 'http://hook.test:8443/', '//hook.test:8444/', 'https://hook.test.:8443/'],
      ...['https://hook.test:8443@169.254.169.254/', 'http://[::1]/', 'file:///etc/passwd', 'data:,{}', '\\\\other.test/'],
    ])
      test(`a redirect to ${location} is not followed (CVE-2020-8561)`, async () => {
        for (const status of [302, 307]) {
          const { outbound, requests } = webhook({ '/review': [status, location] })
          const message = `Post ${JSON.stringify(location)}: redirects to other servers are not followed`
          await assert.rejects(send(outbound), (error: Error) => error.message === message)
          assert.equal(requests.length, 1)
        }
      })

    test('a location that is no URL is named', async () => {
      const { outbound } = webhook({ '/review': [302, '/%zz'] })
      const message = `Post "${origin}${first}": failed to parse Location header "/%zz": parse "/%zz": invalid URL escape "%zz"`
      await assert.rejects(send(outbound), (error: Error) => error.message === message)
      await assert.rejects(send(webhook({ '/review': [302, 'http://['] }).outbound), /failed to parse Location header "http:\/\/\["/)
    })
  })
