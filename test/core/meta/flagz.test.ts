import assert from 'node:assert/strict'
import { test } from 'node:test'
import { optionsOfFlags } from '../../../core/flags/options.ts'
import { parseFlags } from '../../../core/flags/parse.ts'
import { flags } from '../../../core/flags/rows/index.ts'
import { flagValues } from '../../../core/flags/values.ts'
import { startCore } from '../../support/core-server.ts'

const given = parseFlags(
  [
    ...['--audit-log-mode=blocking', '--authorization-mode=Node,RBAC', '--request-timeout=90s', '--etcd-servers=http://a:1'],
    '--allow-metric-labels=m,l=a,b',
  ],
  'kube-apiserver',
)

/** From /flagz of kube-apiserver 1.36.2 with the same flags. */
const expected = {
  'allow-metric-labels': '["m,l=a,b"]',
  'allow-metric-labels-manifest': '',
  'api-audiences': '[]',
  'audit-log-batch-max-wait': '0s',
  'audit-log-compress': 'false',
  'audit-log-mode': 'blocking',
  'audit-log-truncate-max-batch-size': '10485760',
  'authorization-mode': '[Node,RBAC]',
  'authentication-token-webhook-cache-ttl': '2m0s',
  'etcd-servers': '[http://a:1]',
  'request-timeout': '1m30s',
}

test('every flag has its value, by the spelling of the platform, as the reference prints it', () => {
  const values = flagValues(given)
  assert.equal(Object.keys(values).length, Object.keys(flags).length)
  for (const [name, value] of Object.entries(expected)) assert.equal(values[name], value, name)
})

test('the page as text and as a kind; none without flags or the gate', async () => {
  const { platform, flags: shown } = optionsOfFlags(given)
  const server = await startCore({ platform: platform!, flags: shown! })
  const ask = (accept: string) => server.fetch(new Request('http://server/flagz', { headers: { accept } }))
  const text = await (await ask('*/*')).text()
  assert.match(text, /^\napiserver flagz\nWarning: This endpoint is not .*\nadmission-control=\[\]\n/)
  assert.match(text, /\nauthorization-mode=\[Node,RBAC\]\n/)
  for (const version of ['v1alpha1', 'v1beta1']) {
    const answer = await ask(`application/json;v=${version};g=config.k8s.io;as=Flagz`)
    assert.equal(answer.headers.get('content-type'), `application/json;g=config.k8s.io;v=${version};as=Flagz`)
    assert.equal(answer.headers.has('warning'), version === 'v1alpha1')
    const { kind, apiVersion, metadata, flags: values } = (await answer.json()) as Record<string, unknown>
    assert.deepEqual([kind, apiVersion, metadata], ['Flagz', `config.k8s.io/${version}`, { name: 'apiserver' }])
    assert.deepEqual(values, { ...shown })
  }
  assert.equal((await ask('application/json;v=v1beta1;g=config.k8s.io;as=Statusz')).status, 406)
  assert.match(await (await server.fetch(new Request('http://server/statusz'))).text(), /Paths: \/flagz /)
  await server.close()
  for (const options of [{}, { flags: shown!, gates: { enabled: (gate: string) => gate !== 'ComponentFlagz' } }]) {
    const without = await startCore(options)
    assert.equal((await without.fetch(new Request('http://server/flagz'))).status, 404)
    await without.close()
  }
})
