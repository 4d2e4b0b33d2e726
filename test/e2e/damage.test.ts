/** A daemon with damaged files reports the place and the remedy, and the remedy works. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { apiOf, configMap } from '../support/api.ts'
import { type Daemon, runProgram, startDaemon } from '../support/daemon.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const collection = '/api/v1/namespaces/default/configmaps'
const namesIn = async (daemon: Daemon) => {
  const { metadata, items } = await apiOf(daemon.fetch).list(collection)
  return {
    revision: Number(metadata.resourceVersion),
    names: items.map((item) => item.metadata.name).filter((name) => name.startsWith('c')),
  }
}

/** Flips one bit of the record that contains the text. */
function damage(data: string, text: string): void {
  const name = readdirSync(data).find((each) => each.endsWith('.log')) ?? ''
  const content = readFileSync(join(data, name))
  const at = content.indexOf(text)
  assert(at > 0)
  content[at] = (content[at] ?? 0) ^ 4
  writeFileSync(join(data, name), content)
}

test('a flipped bit: refused with file and offset, restored from a snapshot, or recovered without the damaged record', {
  timeout: 3_600_000,
}, async () => {
  const { path, remove } = temporaryDirectory()
  const data = join(path, 'data')
  const first = await startDaemon({ directory: path })
  const api = apiOf(first.fetch)
  const names = Array.from({ length: 9 }, (_, index) => `c${index}`)
  for (const name of names) await api.create(collection, configMap(name, { mark: `the value of ${name}` }))
  assert.equal((await runProgram(['snapshot', 'save', join(path, 'saved'), `--data-dir=${data}`])).code, 0)
  const { revision } = await namesIn(first)
  await first.stop('SIGKILL')
  damage(data, 'the value of c4')

  const refusal = await startDaemon({ directory: path }).then(
    () => assert.fail('it started'),
    (error: Error) => error.message,
  )
  const said =
    /error: --data-dir: \S+\/(\d{16}\.log): offset (\d+): [^\n]+apiserver snapshot restore FILE[^\n]+--data-dir-recover=(\S+),/.exec(
      refusal,
    )
  assert.equal(said?.[3], `${said?.[1]}:${said?.[2]}`, refusal)

  const elsewhere = join(path, 'elsewhere')
  const restored = await runProgram(['snapshot', 'restore', join(path, 'saved'), `--data-dir=${join(elsewhere, 'data')}`])
  assert.equal(restored.code, 0, restored.stderr)
  const other = await startDaemon({ directory: elsewhere })
  assert.deepEqual((await namesIn(other)).names, names)
  await other.stop()

  const recovering = await startDaemon({ directory: path, flags: [`--data-dir-recover=${said?.[3]}`] })
  assert.match(recovering.log(), /revisions lost/)
  const left = await namesIn(recovering)
  assert.deepEqual(
    left.names,
    names.filter((name) => name !== 'c4'),
  )
  assert(left.revision > revision, `${left.revision} after ${revision}`)
  await apiOf(recovering.fetch).create(collection, configMap('c4'))
  await recovering.stop('SIGKILL')

  // A second start with the flag changes nothing.
  const again = await startDaemon({ directory: path, flags: [`--data-dir-recover=${said?.[3]}`] })
  assert.match(again.log(), /nothing to recover/)
  assert.deepEqual((await namesIn(again)).names, names)
  await again.stop()
  remove()
})
