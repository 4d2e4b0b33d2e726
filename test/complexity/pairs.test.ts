/** Two lists of one object that are large together: what compares each of one with each of the other is found by no list alone. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { covers } from '../../core/access/authz/rbac-covers.ts'
import { faultsOf, ofText, type Prepare, type Prepared } from '../support/growth.ts'
import { minimalObject } from '../support/minimal-objects.ts'
import { type Bench, openBench } from './bench.ts'

let bench: Bench
before(async () => {
  bench = await openBench(true)
})
after(() => bench.close())

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: Math.ceil(count) }, (_, index) => make(index))
const core = '/api/v1/namespaces/default'
const podSpec = (more: object) => ({ containers: [{ name: 'main', image: 'any', ...more }] })
const named = (index: number) => ({ name: `n${index}` })

/** Milliseconds for each MiB: objects of 50,000 parts, most of which are refused with a text for each. */
const most = 600

const created = (path: string, make: (bytes: number) => object): Prepare => {
  return (bytes) => ofText(JSON.stringify(make(bytes)), (body) => bench.send('POST', `${path}?dryRun=All`, body))
}

/** An object is stored, then changed by the work. */
const changed = (
  path: string,
  firstOf: object | (() => object),
  subresource: string,
  make: (bytes: number) => object,
  again = make,
): Prepare => {
  return async (bytes) => {
    const first = typeof firstOf === 'function' ? (firstOf as () => object)() : firstOf
    const { name } = (first as { metadata: { name: string } }).metadata
    await bench.send('DELETE', `${path}/${name}?gracePeriodSeconds=0`)
    const { status, text } = await bench.send('POST', path, JSON.stringify(first))
    assert.equal(status, 201, text)
    const put = (value: object) => JSON.stringify({ ...first, ...value })
    await bench.send('PUT', `${path}/${name}${subresource}`, put(make(bytes)))
    return ofText(put(again(bytes)), (body) => bench.send('PUT', `${path}/${name}${subresource}?dryRun=All`, body))
  }
}

const address = (index: number) => ({ ip: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}` })
const endpoints: Prepare = async (bytes): Promise<Prepared> => {
  const subsets = [{ addresses: times(bytes / 40, address), ports: times(bytes / 40, (index) => ({ name: `p${index}`, port: 1 + index })) }]
  const body = JSON.stringify({ metadata: { name: 'pairs' }, subsets })
  await bench.send('DELETE', `${core}/endpoints/pairs`)
  const { status, text } = await bench.send('POST', `${core}/endpoints`, body)
  assert.equal(status, 201, text.slice(0, 300))
  const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1'
  return { bytes: body.length, work: () => bench.send('GET', `${core}/endpoints/pairs`, undefined, { accept }) }
}

const rules = (bytes: number, verb: string) =>
  times(bytes / 80, (index) => ({ verbs: [verb], apiGroups: [''], resources: ['pods'], resourceNames: [`n${index}`] }))

const template = (volumes: object[]) => ({ metadata: { labels: { a: 'b' } }, spec: { ...podSpec({}), volumes } })
const works: { readonly [name: string]: Prepare } = {
  'volumes and claims of a stateful set': created('/apis/apps/v1/namespaces/default/statefulsets', (bytes) => ({
    metadata: { name: 'pairs' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: template(times(bytes / 90, (index) => ({ name: `v${index}`, emptyDir: {} }))),
      volumeClaimTemplates: times(bytes / 90, (index) => ({ metadata: named(index) })),
    },
  })),
  'properties and required names': created('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', (bytes) => {
    const properties = Object.fromEntries(times(bytes / 70, (index) => [`k${index}`, { type: 'string' }]))
    const spec = { type: 'object', properties, required: times(bytes / 16, (index) => `r${index}`) }
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
    return {
      metadata: { name: 'pairs.finder.example.com' },
      spec: {
        group: 'finder.example.com',
        scope: 'Namespaced',
        names: { plural: 'pairs', kind: 'Pair' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    }
  }),
  'variables from files and volumes': created(`${core}/pods`, (bytes) => ({
    metadata: { name: 'pairs' },
    spec: {
      ...podSpec({
        env: times(bytes / 150, (index) => ({
          name: `e${index}`,
          valueFrom: { fileKeyRef: { volumeName: `v${index}`, path: 'p', key: 'k' } },
        })),
      }),
      volumes: times(bytes / 60, (index) => ({ name: `v${index}`, emptyDir: {} })),
    },
  })),
  'constraints of spread': created(`${core}/pods`, (bytes) => ({
    metadata: { name: 'pairs' },
    spec: {
      ...podSpec({}),
      topologySpreadConstraints: times(bytes / 75, (index) => ({
        maxSkew: 1,
        topologyKey: `k${index}`,
        whenUnsatisfiable: 'ScheduleAnyway',
      })),
    },
  })),
  'drivers of a node': changed(
    '/apis/storage.k8s.io/v1/csinodes',
    { metadata: { name: 'pairs' }, spec: { drivers: [] } },
    '',
    (bytes) => ({ spec: { drivers: times(Math.min(bytes, 900_000) / 40, (index) => ({ ...named(index), nodeID: 'x' })) } }),
    (bytes) => ({
      spec: { drivers: times(Math.min(bytes, 900_000) / 40, (index) => ({ ...named(index), nodeID: 'x' })).reverse() },
    }),
  ),
  'statuses of containers': changed(
    `${core}/pods`,
    { metadata: { name: 'pairs' }, spec: { ...podSpec({}), restartPolicy: 'Never' } },
    '/status',
    (bytes) => ({
      status: {
        containerStatuses: times(Math.min(bytes, 900_000) / 80, (index) => ({
          ...named(index),
          image: 'i',
          imageID: 'i',
          ready: false,
          restartCount: 0,
          state: { terminated: { exitCode: 1 } },
        })),
      },
    }),
  ),
  'conditions of a signing request': changed(
    '/apis/certificates.k8s.io/v1/certificatesigningrequests',
    () => {
      const definition = bench.definitions.find(({ kind }) => kind === 'CertificateSigningRequest')
      assert.ok(definition)
      return minimalObject(definition)
    },
    '/approval',
    (bytes) => ({ status: { conditions: times(Math.min(bytes, 900_000) / 60, (index) => ({ type: `T${index}`, status: 'True' })) } }),
  ),
  'beginnings without end in a certificate': created(`${core}/secrets`, (bytes) => {
    const text = times((bytes * 0.7) / 22, (index) => `-----BEGIN ${index}-----\n`).join('')
    return { metadata: { name: 'pairs' }, type: 'kubernetes.io/tls', data: { 'tls.crt': btoa(`${text}-----END x-----`), 'tls.key': '' } }
  }),
  'ports and addresses of endpoints, as a table': endpoints,
  'rules that are held and rules that are granted': (bytes) => ({
    bytes,
    work: () => covers(rules(bytes / 2, 'get'), rules(bytes / 2, 'list')),
  }),
  'rules on many resources': (bytes) => {
    const own = times(bytes / 100, (index) => ({ verbs: ['get'], apiGroups: [''], resources: [`r${index}`] }))
    return { bytes, work: () => assert.deepEqual(covers(own, own.toReversed()), []) }
  },
}

for (const [name, prepare] of Object.entries(works))
  test(name, async () => {
    assert.deepEqual(await faultsOf([[name, prepare]], { time: most }), [])
  })
