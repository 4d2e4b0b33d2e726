import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { fixedAuthorities } from '../../../../core/access/authn/certificate/authorities.ts'
import { type ClusterAuthentication, clusterAuthenticationData } from '../../../../core/controllers/bootstrap/cluster-authentication.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { configMap } from '../../../support/api.ts'
import { ManualClock } from '../../../support/clock.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { silentLogger } from '../../../support/logger.ts'
import { eventually } from '../../../support/wait.ts'
import { authority, type Identity, issue, now, pem } from '../../access/authn/certificate/certificates.ts'

let ca: Identity
let other: Identity
let expired: Identity
before(async () => {
  ca = await issue({ subject: 'CN=ca', extensions: authority() })
  other = await issue({ subject: 'CN=other', extensions: authority() })
  expired = await issue({ subject: 'CN=expired', extensions: authority(), from: 3, to: -1 })
})

const lines = (...texts: string[]) => texts.map((text) => `${text.trim()}\n`).join('')
const proxies = (ca: Identity, name: string): NonNullable<ClusterAuthentication['frontProxies']> => ({
  authorities: fixedAuthorities([pem(ca)]),
  allowedNames: [name],
  headers: { username: ['X-Remote-User'], uid: [], group: ['X-Remote-Group'], extraPrefix: ['X-Remote-Extra-'] },
})

test('replicas add their authorities to the config map; expired ones are removed', () => {
  const first = clusterAuthenticationData({}, { client: fixedAuthorities([pem(ca), pem(expired)]), frontProxies: proxies(ca, 'a') }, now)
  assert.deepEqual(first, {
    'client-ca-file': lines(pem(ca)),
    'requestheader-username-headers': '["X-Remote-User"]',
    'requestheader-uid-headers': '[]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-client-ca-file': lines(pem(ca)),
    'requestheader-allowed-names': '["a"]',
  })
  const second = clusterAuthenticationData(
    first,
    { client: fixedAuthorities([pem(other), pem(ca)]), frontProxies: proxies(other, 'b') },
    now,
  )
  assert.equal(second['client-ca-file'], lines(pem(ca), pem(other)))
  assert.equal(second['requestheader-allowed-names'], '["a","b"]')
  assert.equal(second['requestheader-username-headers'], '["X-Remote-User"]')
  assert.deepEqual(clusterAuthenticationData(second, { client: fixedAuthorities([pem(ca)]) }, now), second, 'nothing is removed')
  assert.deepEqual(clusterAuthenticationData({}, {}, now), {})
  assert.throws(() => clusterAuthenticationData({ 'requestheader-allowed-names': '{}' }, {}, now), /not a list/)
})

test('the config map is created, kept and repaired', async (t) => {
  const clock = new ManualClock()
  const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication'
  const { api } = await startInProcess(
    {
      platform: createPlatform('kubernetes'),
      controllers: [],
      clock,
      telemetry: { logger: silentLogger },
      clusterAuthentication: { frontProxies: proxies(await issue({ subject: 'CN=p', extensions: authority(), to: 3650 }), 'a') },
    },
    t,
  )
  const read = () =>
    eventually('the config map', async () => {
      clock.advance(1_000)
      const { status, body } = await api.get(path)
      return status === 200 && body.data?.['requestheader-client-ca-file'] ? body.data : undefined
    })
  const data = await read()
  assert.equal(data['requestheader-allowed-names'], '["a"]')
  await api.delete(path)
  assert.deepEqual(await read(), data)
  await api.send('PUT', path, configMap('extension-apiserver-authentication', { 'requestheader-allowed-names': '["b"]', stray: 'x' }))
  assert.equal((await read())['requestheader-allowed-names'], '["b","a"]')
  assert.equal((await read())['stray'], undefined)
})
