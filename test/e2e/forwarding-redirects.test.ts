/** Backends that answer with a redirect: this server follows none, and a client gets those of the reference, route by route. */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Status } from '../../core/answers/status.ts'
import { exchangeRaw, responsesOf } from '../support/forwarding/raw-client.ts'
import { cannotForward, type Forwarding, type Route, startForwarding } from '../support/forwarding/routes.ts'

interface Answer {
  readonly status: number
  readonly location: string | undefined
  readonly body: string
}

/** What a client gets for a Location: its own one, or the whole answer. */
type Expected = (location: string, route: Route, host: string) => Partial<Answer>

const refused = 'the backend attempted to redirect this request, which is not permitted'
const statuses = [301, 302, 303, 307, 308]

describe('redirects of backends', {
  skip: cannotForward,
  timeout: 3_600_000,
}, () => {
  /** A redirect that is followed would connect to it. */
  let elsewhere: Server
  let connections = 0
  before(async () => {
    elsewhere = createServer((socket) => {
      connections++
      socket.destroy()
    })
    await new Promise<void>((resolve) => elsewhere.listen(0, () => resolve()))
  })
  after(() => {
    elsewhere.close()
    assert.equal(connections, 0, 'nobody has called the other server')
  })
  const otherPort = () => (elsewhere.address() as { port: number }).port

  for (const rejects of [true, false])
    describe(`--aggregator-reject-forwarding-redirect=${rejects}`, () => {
      let forwarding: Forwarding
      before(async () => {
        forwarding = await startForwarding(undefined, { flags: [`--aggregator-reject-forwarding-redirect=${rejects}`] })
      })
      after(() => forwarding?.close())

      async function ask(route: Route, status: number, location: string): Promise<Answer & { readonly host: string }> {
        let host = ''
        route.backend.answer = (request, socket) => {
          const text = '<a href=/below>'
          host = request.fields.find(([name]) => name === 'x-forwarded-host')?.[1] ?? ''
          socket.write(
            `HTTP/1.1 ${status} Moved\r\nLocation: ${location}\r\nContent-Type: text/html\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
          )
          return undefined
        }
        const upgrade = route.upgrades ? 'Connection: Upgrade\r\nUpgrade: SPDY/3.1' : 'Connection: close'
        const head = `GET ${route.target('x')} HTTP/1.1\r\nHost: front.test\r\n${upgrade}\r\n\r\n`
        const { responses, faults } = responsesOf(await exchangeRaw(forwarding.daemon, head, false))
        assert.deepEqual([faults, responses.length], [[], 1], route.name)
        const [answer] = responses
        return {
          status: answer?.status ?? 0,
          location: answer?.fields.find(([name]) => name === 'location')?.[1],
          body: answer?.body ?? '',
          host,
        }
      }

      /** Locations by what they are; `host`: the backend's, as an aggregated API's server knows it. */
      const locations = (host: string): { readonly [location: string]: Expected } => ({
        '/there/?x=1#y': (_, { aggregated, prefix }) => ({
          location: aggregated ? `https://${host}/there/?x=1#y` : `${prefix}/there/?x=1#y`,
        }),
        'there?x': () => ({ location: 'there?x' }),
        [`http://192.0.2.9:${otherPort()}/there`]: (location) => ({ location }),
        [`https://127.0.0.1:${otherPort()}/there`]: (location) => ({ location }),
        [`//127.0.0.1:${otherPort()}/there`]: (location) => ({ location }),
        'https://front.test/there': (location, { aggregated, prefix }) => ({
          location: aggregated ? location : `https://front.test${prefix}/there`,
        }),
        ...(host !== '' && { [`http://${host}/there`]: () => ({ location: `https://${host}/there` }) }),
      })

      const messageOf = (body: string) => (JSON.parse(body) as Status).message

      test('requests', async () => {
        for (const route of forwarding.routes.filter((each) => !each.upgrades)) {
          const { host } = await ask(route, 302, '/')
          for (const status of statuses)
            for (const [location, expected] of Object.entries(locations(host))) {
              const answer = await ask(route, status, location)
              const what = `${route.name}: ${status} ${location}: ${JSON.stringify(answer)}`
              if (!route.relays)
                assert.deepEqual([answer.status, messageOf(answer.body)], [500, `Get "${location}": redirects forbidden`], what)
              else if (route.aggregated && rejects) assert.deepEqual([answer.status, answer.body], [502, refused], what)
              else {
                assert.equal(answer.status, status, what)
                assert.equal(answer.location, expected(location, route, host).location, what)
                assert.equal(answer.body, '<a href=/below>', 'no links are rewritten')
              }
            }
        }
      })

      test('requests to switch protocols', async () => {
        for (const route of forwarding.routes.filter((each) => each.relays)) {
          const answer = await ask({ ...route, upgrades: true }, 302, `https://127.0.0.1:${otherPort()}/`)
          const said = 'invalid upgrade response: status code 302'
          if (route.aggregated) assert.deepEqual([answer.status, answer.body], [503, `${said}\n`])
          else assert.deepEqual([answer.status, messageOf(answer.body)], [500, said], route.name)
          assert.equal(answer.location, undefined)
        }
      })
    })
})
