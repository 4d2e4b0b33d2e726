/** Objects with as many keys as there may be: each request holds the thread for a part of its work at a time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calmer } from '../support/cost.ts'
import { serverForTests } from '../support/in-process.ts'
import { longestPause } from '../support/pauses.ts'

/** Milliseconds of processor time: what one MiB may take. The bodies are smaller. */
const limit = 250
/** Measurements, of which the least counts: collections of garbage and other processes disturb single ones. */
const looks = 4

const api = serverForTests({ controllers: [], admissionPlugins: { disable: ['ServiceAccount'] } })
const configMaps = '/api/v1/namespaces/default/configmaps'
const review = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

const keys = (count: number, value = '""') => Array.from({ length: count }, (_, index) => `"${index.toString(36)}":${value}`).join(',')
const configMap = (name: string, rest: string) => `{"metadata":{"name":"${name}"${rest}}`
const ports = (count: number) =>
  Array.from({ length: count }, (_, index) => `{"name":"${index.toString(36)}a","port":${index + 1}}`).join(',')
const lines = (count: number) => Array.from({ length: count }, (_, index) => `  ${index.toString(36)}a: ''`).join('\n')
const json = 'application/json'
const apply = 'application/apply-patch+yaml'

/** Method, path, body and its type; `#` is a number that no measurement before had. */
const requests: { readonly [name: string]: readonly [method: string, path: string, body: string, type: string] } = {
  'a new object': ['POST', configMaps, configMap('new-#', `},"data":{${keys(95_000)}}`), json],
  'a new object with labels': ['POST', configMaps, configMap('labels-#', `,"labels":{${keys(95_000)}}}`), json],
  'a new object with unknown fields': ['POST', configMaps, configMap('unknown-#', `},${keys(95_000, '0')}`), json],
  'a new object in YAML': ['POST', configMaps, `metadata:\n  name: yaml-#\ndata:\n${lines(90_000)}\n`, 'application/yaml'],
  'an update': ['PUT', `${configMaps}/large`, configMap('large', `},"data":{"x":"#",${keys(60_000)}}`), json],
  'a merge patch of one key': ['PATCH', `${configMaps}/large`, '{"data":{"x":"#"}}', 'application/merge-patch+json'],
  'a strategic merge patch of one key': ['PATCH', `${configMaps}/large`, '{"data":{"x":"#"}}', 'application/strategic-merge-patch+json'],
  'a JSON patch of one key': ['PATCH', `${configMaps}/large`, '[{"op":"add","path":"/data/x","value":"#"}]', 'application/json-patch+json'],
  'a merge patch of many keys': ['PATCH', `${configMaps}/other`, `{"data":{"x":"#",${keys(60_000)}}}`, 'application/merge-patch+json'],
  'an applied configuration': [
    'PATCH',
    `${configMaps}/large?fieldManager=a&force=true`,
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"large"},"data":{"x":"#",${keys(30_000)}}}`,
    apply,
  ],
  'a review': [
    'POST',
    review,
    `{"metadata":{"labels":{${keys(95_000)}}},"spec":{"nonResourceAttributes":{"path":"/","verb":"get"}}}`,
    json,
  ],
  'a service with many node ports': [
    'POST',
    '/api/v1/namespaces/default/services?dryRun=All',
    `{"metadata":{"name":"ports"},"spec":{"type":"NodePort","ports":[${ports(30_000)}]}}`,
    json,
  ],
  'a list in YAML': ['GET', '/api/v1/namespaces/lists/configmaps', '', 'application/yaml'],
  'options of a deletion': ['DELETE', `${configMaps}/none`, `{"kind":"DeleteOptions","apiVersion":"v1",${keys(95_000, '0')}}`, json],
}

test('objects that requests change', async () => {
  await api.create(configMaps, JSON.parse(configMap('large', `},"data":{${keys(60_000)}}`)) as object)
  await api.create(configMaps, JSON.parse(configMap('other', '}')) as object)
  await api.create('/api/v1/namespaces', { metadata: { name: 'lists' } })
  for (const name of 'abcdefgh')
    await api.create('/api/v1/namespaces/lists/configmaps', JSON.parse(configMap(name, `},"data":{${keys(20_000)}}`)) as object)
})

let number = 0
for (const [name, [method, path, body, type]] of Object.entries(requests))
  test(`${name} holds the thread for less than ${limit} ms`, async (t) => {
    const pauses: number[] = []
    for (let look = 0; look < looks && Math.min(...pauses, Number.POSITIVE_INFINITY) >= limit; look++) {
      if (look > 0) await calmer()
      const text = body.replaceAll('#', String(number++))
      pauses.push(
        await longestPause(async () => {
          const response = await api.fetch(path, {
            method,
            headers: { 'content-type': type, accept: method === 'GET' ? type : json },
            ...(text !== '' && { body: text }),
          })
          const answer = await response.text()
          assert.ok(response.status < 500, answer.slice(0, 300))
          if (look === 0) t.diagnostic(`${response.status} ${answer.slice(0, 100)}`)
        }),
      )
    }
    t.diagnostic(`pauses of ${pauses.map(Math.round).join(', ')} ms for ${(body.length / 2 ** 20).toFixed(2)} MiB`)
    assert.ok(Math.min(...pauses) < limit, `${pauses.map(Math.round).join(', ')} ms`)
  })
