/** What servers of `apiserver hosts` cost, and what deleted ones leave: memory of the heap, open files. `npm run bench:hosts` has the figures of 10,000. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { hosts } from './support.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const list = '/hosts/v1/servers'

/** Bytes of the heap after collections. */
async function heap(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5; round++) {
    await new Promise((resolve) => setTimeout(resolve, 0))
    collect()
    least = Math.min(least, process.memoryUsage().heapUsed)
  }
  return least
}

const openFiles = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0)

test('idle forks take less than 30 kB each; deleted ones, asked or not, leave no objects and no files', async (t) => {
  const here = await hosts()
  try {
    await here.ask('POST', list, { name: 'template' })
    const fork = (name: string) => here.ask('POST', `${list}/template/fork`, { name })
    const remove = (name: string) => here.ask('DELETE', `${list}/${name}`)
    async function asked(name: string): Promise<void> {
      await fork(name)
      const { token } = await here.kubeconfig(name)
      assert.equal((await here.ask('GET', `/servers/${name}/api/v1/namespaces/default`, undefined, { token })).code, 200)
      await remove(name)
    }
    for (let at = 0; at < 50; at++) await asked(`first-${at}`)
    const [before, files] = [await heap(), openFiles()]
    const names = Array.from({ length: 500 }, (_, at) => `idle-${at}`)
    for (const name of names) await fork(name)
    const idle = ((await heap()) - before) / names.length
    t.diagnostic(`${Math.round(idle)} B for each idle one`)
    assert.ok(idle < 30_000, `${idle} B`)
    for (const name of names) await remove(name)
    for (let at = 0; at < 150; at++) await asked(`asked-${at}`)
    const left = ((await heap()) - before) / 150
    t.diagnostic(`${Math.round(left)} B left of each`)
    assert.ok(left < 30_000, `${left} B`)
    assert.ok(openFiles() <= files + 2, `${openFiles()} open files, ${files} before`)
  } finally {
    await here.close()
  }
})
