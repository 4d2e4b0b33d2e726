/** The store over IndexedDB, in Chromium. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { build } from 'esbuild'
import { chromium, openPage, type Page } from '../../support/browser.ts'
import { root } from '../../support/root.ts'
import { seed } from '../../support/seed.ts'
import { trials } from '../../support/soak.ts'
import type { StorePage } from './indexed-db-page.ts'

describe('store on IndexedDB', { skip: chromium === undefined && 'no Chromium is installed' }, () => {
  let page: Page
  const server = createServer()
  before(async () => {
    const { outputFiles } = await build({
      absWorkingDir: root,
      entryPoints: ['test/runtimes/stores/indexed-db-page.ts'],
      bundle: true,
      write: false,
      format: 'esm',
      target: 'es2023',
      define: { 'process.env': JSON.stringify({ APISERVER_SEED: String(seed) }) },
      inject: [`${root}test/runtimes/stores/browser-globals.ts`],
      alias: {
        'node:test': `${root}test/runtimes/stores/node-test-shim.ts`,
        'node:assert/strict': `${root}test/runtimes/stores/assert-shim.ts`,
      },
    })
    server.on('request', ({ url }, response) => {
      const [type, body] =
        url === '/page.js' ? ['text/javascript', outputFiles[0]?.contents] : ['text/html', '<script type=module src=page.js></script>']
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    page = await openPage(chromium ?? '')
    await page.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await page.until('globalThis.page !== undefined')
  })
  after(async () => {
    await page?.close()
    server.close()
  })

  /** Calls a function of the page. */
  const call = <Name extends keyof StorePage>(name: Name, ...args: Parameters<StorePage[Name]>) =>
    page.evaluate<Awaited<ReturnType<StorePage[Name]>>>(`page.${name}(...${JSON.stringify(args)})`)

  test('passes the store suite', async (t) => {
    const titles = await call('titles')
    assert(titles.length > 30, `${titles.length} tests`)
    for (const [at, title] of titles.entries()) await t.test(title, async () => assert.equal(await call('run', at), ''))
  })

  test('has every key, value and revision when it is opened again, after random writes and compactions', async () => {
    for (const [before, after] of await call('reopened', 'reopened', trials(12, 400))) assert.equal(after, before)
  })

  test('compaction leaves one row for each key, also when the history ends with a deletion', async () => {
    const { newest, ...found } = await call('compacted')
    assert.deepEqual(found, { revision: newest, contents: ['k=19@21'], past: 'compacted', rows: 2 })
  })

  test('leases that end while it is closed are ended when it is opened', async () => {
    assert.deepEqual(await call('leased'), { found: ['stays=1@3'], leases: 0 })
  })

  test('a write without space fails, changes nothing, and the store continues', async () => {
    assert.deepEqual(await call('full'), { codes: ['no-space', 'no-space'], later: 'none', endings: [], found: ['k=3@3'] })
  })

  for (const name of ['failed', 'deleted'] as const)
    test(`ends when the database has ${name === 'failed' ? 'failed' : 'been deleted'}`, async () => {
      const { codes, later, endings, found } = await call(name)
      assert.deepEqual([...codes, later], ['unavailable', 'unavailable', 'unavailable'])
      assert.match(endings.join(), /^the store has ended, because the database failed: [^,]*$/)
      assert.deepEqual(found, name === 'failed' ? ['k=1@2'] : [])
    })

  test('one page or worker has it open', async () => {
    assert.deepEqual(await call('twice'), ['unavailable', 'none'])
  })
})
