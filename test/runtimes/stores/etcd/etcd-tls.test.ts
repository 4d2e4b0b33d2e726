import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { issue, issueAuthority, newKey, type Pair } from '../../../../runtimes/node/pki/issue.ts'
import { type EtcdOptions, openEtcdStore } from '../../../../runtimes/stores/etcd.ts'
import { bytes, Recorder } from '../../../../runtimes/testing/store/recorder.ts'
import { type Etcd, startEtcd } from '../../../support/etcd.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { hostClock, warnings } from '../helpers.ts'

const directory = temporaryDirectory('etcd-tls')
const authority = issueAuthority('etcd-ca', newKey(), Date.now())
const clientPair = issue(authority, { commonName: 'apiserver' }, Date.now())
let etcd: Etcd

before(async () => {
  const file = (name: string, content: string) => {
    const path = join(directory.path, name)
    writeFileSync(path, content)
    return path
  }
  const server = issue(authority, { commonName: 'etcd', names: ['127.0.0.1'] }, Date.now())
  const caFile = file('ca.crt', authority.certPem)
  etcd = await startEtcd({ tls: { caFile, certFile: file('server.crt', server.certPem), keyFile: file('server.key', server.keyPem) } })
})

after(async () => {
  await etcd.stop()
  directory.remove()
})

const open = (tls: Pick<EtcdOptions, 'ca' | 'cert' | 'key'>) =>
  openEtcdStore({ servers: etcd.servers, ...tls, clock: hostClock, logger: warnings(), timeouts: { start: 0, request: 2_000 } })
const asClient = ({ certPem, keyPem }: Pair) => ({ cert: certPem, key: keyPem })

test('reads, writes and watches with a client certificate', async () => {
  const store = await open({ ca: authority.certPem, ...asClient(clientPair) })
  const recorder = new Recorder()
  const watch = store.watch('k', await store.currentRevision(), recorder)
  const written = await store.put('k', bytes('v'), 0)
  assert(written.ok)
  await recorder.until(({ log }) => log.length === 1)
  watch.close()
  await store.close()
})

test('is refused without a client certificate, or with one of another CA', async () => {
  const stranger = issueAuthority('other-ca', newKey(), Date.now())
  await assert.rejects(open({ ca: authority.certPem }), { code: 'unavailable' })
  await assert.rejects(open({ ca: authority.certPem, ...asClient(issue(stranger, { commonName: 'apiserver' }, Date.now())) }), {
    code: 'unavailable',
  })
})

test('refuses a server that it can not verify', async () => {
  await assert.rejects(open(asClient(clientPair)), { code: 'unavailable' })
})
