/** Requests that are passed on when the server is told to end: each route, in each state that its backend can leave it in. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { shutdownGrace } from '../../core/outgoing/forwarding/ending.ts'
import { openRaw, responsesOf } from '../support/forwarding/raw-client.ts'
import { cannotForward, type Forwarding, type Route, startForwarding } from '../support/forwarding/routes.ts'
import { states } from '../support/forwarding/states.ts'
import { eventually, within } from '../support/wait.ts'

/** Milliseconds of an idle machine in which streams end. */
const prompt = 5_000
/** The same for requests with an end of their own, which get `shutdownGrace`: less than the 60 s of --request-timeout. */
const patient = shutdownGrace + prompt

describe('requests that are passed on when the server ends', {
  skip: cannotForward,
  timeout: 3_600_000,
  concurrency: true,
}, () => {
  for (const state of states)
    describe(state.name, () => {
      let forwarding: Forwarding
      before(async () => {
        forwarding = await startForwarding()
      })
      after(() => forwarding?.close())

      // An aggregated API's requests have a deadline, as this server's own.
      const isIn = (route: Route) => (state.upgrades ? route.relays : !route.upgrades && !route.aggregated)

      test('every route', async () => {
        const { daemon, routes } = forwarding
        const clients = await Promise.all(
          routes.filter(isIn).map(async (route) => {
            route.backend.answer = state.answer
            const client = await openRaw(daemon)
            const upgrade = state.upgrades ? '\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1' : ''
            client.socket.write(`GET ${route.target('x')} HTTP/1.1\r\nHost: front${upgrade}\r\n\r\n`)
            await eventually(`${route.name} in flight`, async () => route.backend.requests.length > 0 && state.seen.test(client.received()))
            return { route, ...client }
          }),
        )
        process.kill(daemon.pid, 'SIGTERM')
        for (const { route, closed, received } of clients) {
          const limit = state.upgrades || route.name === 'pods/log, followed' ? prompt : patient
          await within(`the end of ${route.name}`, closed, limit)
          const { responses, faults } = responsesOf(received())
          assert.deepEqual([faults, responses.length], [[], 1], `${route.name}: ${received()}`)
          if (!state.seen.test('')) continue
          const [answer] = responses
          assert.match(`${answer?.status} ${answer?.body}`, /^50[03] .*the server is shutting down/, route.name)
        }
        assert.equal(await within('the end of the server', daemon.ended(), prompt), 0)
        assert.match(daemon.log(), /shutdown: ended/)
      })
    })
})
