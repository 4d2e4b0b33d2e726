/** `apiserver snapshot`, beside a daemon under load. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { apiOf, configMap, type TestList } from '../support/api.ts'
import { killedAtExit } from '../support/child.ts'
import { bundle, type Daemon, readCredentials, runProgram, startDaemon } from '../support/daemon.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { eventually, sleep } from '../support/wait.ts'

const collection = '/api/v1/namespaces/default/configmaps'
const writers = 6

/** Creates, changes and deletes objects until stopped. */
function keepBusy(daemon: Daemon): { more(writes: number): Promise<void>; stop(): Promise<void> } {
  const api = apiOf(daemon.fetch)
  let stopped = false
  let total = 0
  const write = async (writer: number) => {
    for (let count = 0; !stopped; count++, total++) {
      const name = `w${writer}-${count % 30}`
      const { status } = await api.send('POST', collection, configMap(name, { count: `${count}`, filler: 'x'.repeat(500) }))
      if (status === 409)
        await (count % 3 === 0 ? api.delete(`${collection}/${name}`) : api.patch(`${collection}/${name}`, { data: { count: `${count}` } }))
    }
  }
  const running = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  return {
    /** Resolves when so many more writes were made. */
    async more(writes) {
      const wanted = total + writes
      await eventually(`${writes} writes`, async () => total >= wanted)
    },
    async stop() {
      stopped = true
      await running
    },
  }
}

test('a snapshot taken under load is one revision of the store', { timeout: 3_600_000 }, async (t) => {
  const { path, remove } = temporaryDirectory()
  const daemon = await startDaemon({ directory: path })
  t.after(() => daemon.stop())
  const load = keepBusy(daemon)
  const moments: { readonly name: string; readonly list: TestList }[] = []
  for (const name of ['first', 'second', 'third']) {
    await load.more(50)
    const saved = await runProgram(['snapshot', 'save', join(path, name), `--data-dir=${join(path, 'data')}`])
    assert.equal(saved.code, 0, saved.stderr)
    const [, revision = ''] = /^saved \d+ keys at revision (\d+) to .*\n$/.exec(saved.stdout) ?? []
    const list = await apiOf(daemon.fetch).list(`${collection}?resourceVersion=${revision}&resourceVersionMatch=Exact`)
    moments.push({ name, list })
  }
  await load.stop()
  await daemon.stop()
  assert.equal(new Set(moments.map(({ list }) => list.metadata.resourceVersion)).size, moments.length, 'writes went on in between')
  for (const { name, list } of moments) {
    const directory = join(path, `restored-${name}`)
    mkdirSync(directory)
    const restore = ['snapshot', 'restore', join(path, name), `--data-dir=${join(directory, 'data')}`]
    const restored = await runProgram(restore)
    assert.equal(restored.code, 0, restored.stderr)
    const refused = await runProgram(restore)
    assert.deepEqual([refused.code, refused.stdout], [1, ''], 'an existing store is not replaced')
    assert.match(refused.stderr, /^error: .* holds a store already\n$/)
    const again = await startDaemon({ directory, flags: ['--controllers=-garbage-collector'] })
    t.after(() => again.stop())
    const api = apiOf(again.fetch)
    assert.deepEqual((await api.list(collection)).items, list.items, name)
    await api.create(collection, configMap('afterwards'))
    await again.stop()
  }
  remove()
})

test('with the keys of the saved server, a restored server accepts its kubeconfigs and tokens; without them, restore says so', async (t) => {
  const { path, remove } = temporaryDirectory()
  t.after(remove)
  const [data, file, elsewhere] = [join(path, 'data'), join(path, 'saved'), join(path, 'elsewhere')]
  const first = await startDaemon({ directory: path })
  t.after(() => first.stop())
  await apiOf(first.fetch).create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'client' } })
  const spec = { audiences: [], expirationSeconds: 3600 }
  const issued = await apiOf(first.fetch).send('POST', '/api/v1/namespaces/default/serviceaccounts/client/token', { spec })
  const { token } = issued.body.status as unknown as { token: string }
  const saved = await runProgram(['snapshot', 'save', file, `--data-dir=${data}`])
  assert.match(saved.stdout, /; it has no keys: save \S+\/data\/pki too/)
  const client = readCredentials(first.kubeconfig)
  await first.stop()

  const restored = await runProgram(['snapshot', 'restore', file, `--data-dir=${join(elsewhere, 'data')}`])
  assert.match(
    restored.stdout,
    /; copy the keys of the saved server to \S+\/elsewhere\/data\/pki, or its kubeconfigs and tokens are refused\n$/,
  )
  cpSync(join(data, 'pki'), join(elsewhere, 'data', 'pki'), { recursive: true })
  const second = await startDaemon({ directory: elsewhere })
  t.after(() => second.stop())
  const asClient = tlsFetch(second.url, client)
  t.after(() => asClient.close())
  assert.equal((await asClient.fetch('/api/v1/namespaces/default/serviceaccounts/client')).status, 200)
  const withToken = tlsFetch(second.url, { ca: client.ca })
  t.after(() => withToken.close())
  const review = await withToken.fetch('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  assert.match(await review.text(), /"username":"system:serviceaccount:default:client"/)
})

test('after a restore that was killed, a start serves everything, or says that the restore has not ended', async (t) => {
  const { path, remove } = temporaryDirectory()
  t.after(remove)
  const [file, objects, rounds] = [join(path, 'saved'), 100, 8]
  const first = await startDaemon({ directory: path })
  t.after(() => first.stop())
  // Large enough that writing takes longer than the start of the program.
  const filler = 'x'.repeat(400_000)
  for (let at = 0; at < objects; at++) await apiOf(first.fetch).create(collection, configMap(`c${at}`, { filler }))
  assert.equal((await runProgram(['snapshot', 'save', file, `--data-dir=${join(path, 'data')}`])).code, 0)
  await first.stop()
  const restore = (to: string) =>
    killedAtExit(spawn(process.execPath, [bundle, 'snapshot', 'restore', file, `--data-dir=${to}`], { stdio: 'ignore' }))
  const began = performance.now()
  assert.deepEqual(await once(restore(join(path, 'whole')), 'exit'), [0, null])
  const length = performance.now() - began
  const outcomes = { nothing: 0, refused: 0, everything: 0 }
  for (let round = 0; round < rounds; round++) {
    const directory = join(path, `killed-${round}`)
    const data = join(directory, 'data')
    mkdirSync(directory)
    const child = restore(data)
    // In the second half: the first goes into the start of the program.
    await sleep(length * (0.5 + (0.5 * (round + 1)) / rounds))
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    const left = existsSync(data) ? readdirSync(data).filter((name) => !name.startsWith('owner.')) : []
    const started = await startDaemon({ directory }).catch((error: unknown) => String(error))
    if (typeof started === 'string') {
      assert.match(started, /error: .*\/restoring: a snapshot was being restored into this directory, and not to the end; restore it again/)
      outcomes.refused++
      continue
    }
    t.after(() => started.stop())
    const { items } = await apiOf(started.fetch).list(collection)
    const count = items.filter(({ metadata }) => metadata.name.startsWith('c')).length
    await started.stop()
    if (left.length === 0) outcomes.nothing++
    else {
      assert.equal(count, objects, left.join())
      outcomes.everything++
    }
  }
  t.diagnostic(JSON.stringify(outcomes))
})

test('an invalid command ends with one line', async () => {
  const lines: readonly (readonly [argv: readonly string[], line: RegExp])[] = [
    [['snapshot'], /use: snapshot save FILE/],
    [['snapshot', 'copy', 'x'], /use: snapshot save FILE/],
    [['snapshot', 'save', '--data-dir=x'], /use: snapshot save FILE/],
    [['snapshot', 'save', 'x', '--data-dir=/nowhere/at/all'], /\/nowhere\/at\/all holds no embedded store/],
    [['snapshot', 'save', 'x', '--data-dir=:memory:'], /:memory:/],
    [['snapshot', 'save', 'x', '--kvstore-servers=http://127.0.0.1:1'], /--kvstore-servers/],
    [['snapshot', 'restore', '/nowhere/at/all', '--data-dir=/nowhere/else'], /\/nowhere\/at\/all: no such file/],
    [['snapshot', 'restore', 'package.json', '--data-dir=/nowhere/else'], /package\.json: is not a snapshot/],
  ]
  for (const [argv, line] of lines) {
    const { code, stdout, stderr } = await runProgram(argv)
    assert.deepEqual([code, stdout], [1, ''], argv.join(' '))
    assert.match(stderr, /^error: [^\n]+\n$/)
    assert.match(stderr, line)
  }
})
