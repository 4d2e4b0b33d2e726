/** Forks in a data directory share the file of the state that they start with, and nothing else. */
import assert from 'node:assert/strict'
import { cpSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { hosts, type TestHosts } from './support.ts'

const list = '/hosts/v1/servers'
const configMaps = '/api/v1/namespaces/default/configmaps'
const temporary = temporaryDirectory('shared-bases')
const data = join(temporary.path, 'data')
const baseOf = (name: string) => join(data, 'servers', name, 'log-1', '0000000000000001.base')
const fileOf = (name: string) => statSync(baseOf(name)).ino

async function make(here: TestHosts, path: string, name: string): Promise<void> {
  const { code, text } = await here.ask('POST', path, { name })
  assert.equal(code, 201, text)
}

async function put(here: TestHosts, server: string, name: string): Promise<void> {
  const { token } = await here.kubeconfig(server)
  const { code, text } = await here.ask('POST', `/servers/${server}${configMaps}`, { metadata: { name } }, { token })
  assert.equal(code, 201, text)
}

async function namesIn(here: TestHosts, server: string): Promise<string[]> {
  const { token } = await here.kubeconfig(server)
  const { body } = await here.ask('GET', `/servers/${server}${configMaps}`, undefined, { token })
  return body.items.map(({ metadata }) => metadata.name).filter((name) => !name.endsWith('.crt'))
}

test('forks of one state share its file; writes, deletions and names that are used again stay with their servers', async () => {
  const here = await hosts(`--data-dir=${data}`, '--idle-timeout=10m')
  try {
    await make(here, list, 'base')
    await make(here, list, 'other')
    await put(here, 'base', 'of-base')
    await put(here, 'other', 'of-other')
    for (const name of ['a', 'b']) await make(here, `${list}/base/fork`, name)
    assert.equal(fileOf('a'), fileOf('b'))
    await put(here, 'a', 'of-a')
    assert.deepEqual(await namesIn(here, 'b'), ['of-base'])

    // The first fork had the file; a server with its name now has another one.
    assert.equal((await here.ask('DELETE', `${list}/a`)).code, 200)
    await make(here, `${list}/other/fork`, 'a')
    await make(here, `${list}/base/fork`, 'c')
    assert.deepEqual(await namesIn(here, 'a'), ['of-other'])
    assert.deepEqual(await namesIn(here, 'c'), ['of-base'])

    // The source has changed.
    await put(here, 'base', 'later')
    await make(here, `${list}/base/fork`, 'd')
    assert.notEqual(fileOf('d'), fileOf('c'))
    await put(here, 'd', 'of-d')
    // As the end of the process would leave it.
    cpSync(join(data, 'servers'), join(temporary.path, 'crashed', 'servers'), { recursive: true })
  } finally {
    await here.close()
  }
  const again = await hosts(`--data-dir=${join(temporary.path, 'crashed')}`, '--idle-timeout=10m')
  try {
    assert.deepEqual(await namesIn(again, 'b'), ['of-base'])
    assert.deepEqual(await namesIn(again, 'd'), ['later', 'of-base', 'of-d'])
  } finally {
    await again.close()
  }
})

test('a fork does not need the file of another one: damage there is not taken over', async () => {
  const here = await hosts(`--data-dir=${data}`, '--idle-timeout=10m')
  try {
    await make(here, list, 'source')
    await make(here, `${list}/source/fork`, 'first')
    writeFileSync(baseOf('first'), 'damaged')
    await make(here, `${list}/source/fork`, 'second')
    assert.deepEqual(await namesIn(here, 'second'), [])
  } finally {
    await here.close()
  }
})
