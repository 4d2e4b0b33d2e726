/** What registrations say about their servers: every reason and message, and when the condition changes (kube-aggregator/pkg/controllers/status). */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createRefresher } from '../../../core/aggregation/refresher.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { Outbound } from '../../../core/ports.ts'
import type { ApiServer } from '../../../core/server.ts'
import { registration, registrations } from '../../support/aggregation.ts'
import type { Api } from '../../support/api.ts'
import { ManualClock } from '../../support/clock.ts'
import { apiOn, startInProcess } from '../../support/in-process.ts'
import { silentLogger } from '../../support/logger.ts'
import { eventually } from '../../support/wait.ts'

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
}

interface Case {
  readonly service?: object
  /** Ports and readiness of endpoints; absent: there are no slices. */
  readonly slice?: { readonly port?: string; readonly ready?: boolean }
  /** Status of the server's answer; absent: it can't be reached. */
  readonly answers?: number
  readonly expected: readonly [status: string, reason: string, message: string]
}

const port = 8443
const web = { ports: [{ name: 'web', port }] }
const passed = ['True', 'Passed', 'all checks passed'] as const
const place = (name: string) => `service/${name} in "default"`
const url = (name: string, host: string) => `https://${host}:${port}/apis/${name}.example.com/v1`
const failedCheck = (message: string) => ['False', 'FailedDiscoveryCheck', message] as const
const badStatus = (name: string, host: string, code: number) =>
  failedCheck(`failing or missing response from ${url(name, host)}: bad status from ${url(name, host)}: ${code}`)

/** Cluster IPs by name, of the part of the range that services without a wish do not get while there are others. */
const ips: { readonly [name: string]: string } = {
  refuses: '10.0.0.10',
  forbids: '10.0.0.11',
  redirects: '10.0.0.12',
  fails: '10.0.0.13',
}

const cases = (routes: boolean): { readonly [name: string]: Case } => ({
  absent: { expected: ['False', 'ServiceNotFound', `${place('absent')} is not present`] },
  port: { service: { ports: [{ port: 1 }] }, expected: ['False', 'ServicePortError', `${place('port')} is not listening on port ${port}`] },
  slices: { service: web, expected: ['False', 'EndpointsNotFound', `cannot find endpointslices for ${place('slices')}`] },
  unready: {
    service: web,
    slice: { ready: false },
    expected: ['False', 'MissingEndpoints', `endpointslices for ${place('unready')} have no addresses with port name "web"`],
  },
  other: {
    service: web,
    slice: { port: 'other' },
    expected: ['False', 'MissingEndpoints', `endpointslices for ${place('other')} have no addresses with port name "web"`],
  },
  unnamed: {
    service: { ports: [{ port }] },
    slice: { port: 'web' },
    expected: ['False', 'MissingEndpoints', `endpointslices for ${place('unnamed')} have no addresses with port name ""`],
  },
  headless: {
    service: { ...web, clusterIP: 'None' },
    slice: {},
    answers: 200,
    expected: routes ? passed : failedCheck('cannot route to service with ClusterIP "None"'),
  },
  external: {
    service: { type: 'ExternalName', externalName: 'api.example.org' },
    answers: 200,
    expected: routes ? failedCheck('unsupported service type "ExternalName"') : passed,
  },
  // Only those with a cluster IP alone are looked at.
  balanced: {
    service: { ...web, type: 'LoadBalancer' },
    answers: 200,
    expected: routes ? failedCheck('no endpoints available for service "balanced"') : passed,
  },
  'balanced-port': {
    service: { type: 'LoadBalancer', ports: [{ port: 1 }] },
    answers: 200,
    expected: failedCheck(`no service port ${port} found for service "balanced-port"`),
  },
  passes: { service: web, slice: {}, answers: 200, expected: passed },
  creates: { service: web, slice: {}, answers: 299, expected: passed },
  ...(!routes && {
    refuses: {
      service: { ...web, clusterIP: ips['refuses'] },
      slice: {},
      expected: failedCheck(
        `failing or missing response from ${url('refuses', '10.0.0.10')}: Get "${url('refuses', '10.0.0.10')}": dial tcp 10.0.0.10:${port}: connect: connection refused`,
      ),
    },
    forbids: { service: { ...web, clusterIP: ips['forbids'] }, slice: {}, answers: 403, expected: badStatus('forbids', '10.0.0.11', 403) },
    redirects: {
      service: { ...web, clusterIP: ips['redirects'] },
      slice: {},
      answers: 302,
      expected: badStatus('redirects', '10.0.0.12', 302),
    },
    fails: { service: { ...web, clusterIP: ips['fails'] }, slice: {}, answers: 500, expected: badStatus('fails', '10.0.0.13', 500) },
  }),
})

for (const routes of [false, true])
  describe(`availability of API services by ${routes ? 'endpoints' : 'cluster IP'}`, () => {
    const all = cases(routes)
    const answers = new Map(Object.entries(all).map(([name, { answers }]) => [`${name}.example.com`, answers]))
    let server: ApiServer
    let api: Api

    const conditionsOf = async (name: string) => {
      const { body } = await api.get<{ status?: { conditions?: Condition[] } }>(`${registrations}/v1.${name}`)
      return body.status?.conditions ?? []
    }
    const availableOf = async (name: string) => (await conditionsOf(name)).find(({ type }) => type === 'Available')
    const says = ({ status = '', reason = '', message = '' }: Partial<Condition> = {}) => [status, reason, message] as const
    const untilSays = (name: string, expected: readonly string[]) =>
      eventually(`${name} says ${expected.join(', ')}`, async () => {
        assert.deepEqual(says(await availableOf(name)), expected)
        return true
      })

    before(async () => {
      const outbound: Outbound = {
        async fetch(_request, options = {}) {
          const status = answers.get(options.target?.split('/')[2] ?? '')
          if (status === undefined) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
          return new Response(null, { status, headers: { location: '/elsewhere' } })
        },
        call: () => Promise.reject(new Error('no calls')),
      }
      server = (await startInProcess({ platform: createPlatform('kubernetes'), controllers: [], aggregatorRouting: routes, outbound }))
        .server
      api = apiOn(server)
      for (const [name, { service, slice }] of Object.entries(all)) {
        if (service) await api.create('/api/v1/namespaces/default/services', { metadata: { name }, spec: service })
        if (slice)
          await api.create('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
            metadata: { name, labels: { 'kubernetes.io/service-name': name } },
            addressType: 'IPv4',
            endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: slice.ready ?? true } }],
            ports: [{ name: slice.port ?? 'web', port }],
          })
        await api.create(registrations, registration(name, port, `${name}.example.com/v1`, { insecureSkipTLSVerify: true }))
      }
    })
    after(() => server?.close())

    for (const [name, { expected }] of Object.entries(all))
      test(name, async () => {
        await untilSays(`${name}.example.com`, expected)
      })

    test('a change of the reason keeps the time of the transition, and other conditions stay where they are', async () => {
      const name = 'absent.example.com'
      const path = `${registrations}/v1.${name}/status`
      const other = { type: 'Other', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z', reason: 'R', message: 'm' }
      const old = '2020-01-01T00:00:00Z'
      const wrong = { type: 'Available', status: 'False', lastTransitionTime: old, reason: 'Wrong', message: 'wrong' }
      await api.patch(path, { status: { conditions: [wrong, other] } })
      await untilSays(name, all['absent']?.expected ?? [])
      const found = await conditionsOf(name)
      assert.deepEqual(
        found.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]),
        [
          ['Available', old],
          ['Other', old],
        ],
      )
      await api.patch(path, { status: { conditions: [{ ...wrong, status: 'True' }] } })
      await untilSays(name, all['absent']?.expected ?? [])
      assert.notEqual((await availableOf(name))?.lastTransitionTime, old)
    })

    test('what this server serves itself says so again when it is changed by hand', async () => {
      const local = ['True', 'Local', 'Local APIServices are always available']
      await untilSays('apps', local)
      for (const change of [{ message: 'other' }, { reason: 'Other' }, { status: 'False' }]) {
        const [known] = await conditionsOf('apps')
        await api.patch(`${registrations}/v1.apps/status`, { status: { conditions: [{ ...known, ...change }] } })
        await untilSays('apps', local)
      }
    })

    test('a service that changes is looked at again', async () => {
      const slice = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/passes'
      await api.patch(slice, { endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: false } }] })
      await untilSays('passes.example.com', [
        'False',
        'MissingEndpoints',
        `endpointslices for ${place('passes')} have no addresses with port name "web"`,
      ])
      await api.patch(slice, { endpoints: [{ addresses: ['192.0.2.1'], conditions: {} }] })
      await untilSays('passes.example.com', passed)
      await api.delete('/api/v1/namespaces/default/services/passes')
      await untilSays('passes.example.com', ['False', 'ServiceNotFound', `${place('passes')} is not present`])
    })
  })

test('a failure is looked at again at once, then less often, and after the interval at the latest', async () => {
  const clock = new ManualClock()
  const times: number[] = []
  let fails = true
  const refresher = createRefresher(
    {
      name: 'checks',
      clock,
      logger: silentLogger,
      async work() {
        times.push(clock.monotonic())
        if (fails) throw new Error('not yet')
      },
    },
    30_000,
  )
  const pass = async (seconds: number) => {
    for (let i = 0; i < seconds * 10; i++) {
      clock.advance(100)
      await Promise.resolve()
      await new Promise(setImmediate)
    }
  }
  const gaps = () => times.slice(1).map((time, at) => time - (times[at] ?? 0))
  refresher.add('a')
  await pass(200)
  assert.ok((gaps()[0] ?? 0) <= 200, `${gaps()}`)
  assert.equal(Math.max(...gaps()), 30_000, `${gaps()}`)
  fails = false
  await pass(100)
  assert.equal(gaps().at(-1), 30_000)
  refresher.close()
})
