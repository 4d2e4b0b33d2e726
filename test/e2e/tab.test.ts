/** The example wrangler-free-examples/tab: a cluster in a page of a real browser. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { chromium, openPage, type Page } from '../support/browser.ts'
import { killedAtExit } from '../support/child.ts'
import { freePort } from '../support/free-port.ts'
import { root } from '../support/root.ts'
import { eventually, within } from '../support/wait.ts'

/** The number of objects in the row of a name: 1 or 0. */
const shown = (name: string) => `document.querySelectorAll('tr[data-name="${name}"]:not([hidden])').length`
const answered = (kind: 'good' | 'bad', text: string) =>
  `[...document.querySelectorAll('#answer .${kind}')].some((line) => line.textContent.includes(${JSON.stringify(text)}))`
const isReady = "document.body.dataset.ready === 'true'"

describe('a cluster in a tab', { skip: chromium === undefined && 'no Chromium is installed' }, () => {
  let page: Page
  let url = ''
  let stopServer = async () => {}
  before(async () => {
    const port = await freePort()
    url = `http://127.0.0.1:${port}/`
    const program = `${root}wrangler-free-examples/tab/run.ts`
    const child = killedAtExit(spawn(process.execPath, ['--import', 'tsx', program, String(port)], { cwd: root, stdio: 'inherit' }))
    const ended = once(child, 'close')
    stopServer = async () => {
      child.kill('SIGTERM')
      await within('end of the file server', ended)
    }
    await eventually('the files are served', async () => (await fetch(url).catch(() => undefined))?.ok)
    page = await openPage(chromium ?? '')
    assert.equal(await page.open(url), 200)
    await page.until(isReady)
  })
  after(async () => {
    await page?.close()
    await stopServer()
  })

  /** Clicks the button with this text. */
  const press = (text: string) =>
    page.evaluate<boolean>(`[...document.querySelectorAll('button')].find((button) => button.textContent === '${text}').click() ?? true`)
  /** Replaces a text in the editor, as typing does. */
  const type = (text: string, by: string) =>
    page.evaluate<boolean>(`(() => {
      const editor = document.querySelector('#editor')
      if (!editor.value.includes(${JSON.stringify(text)})) throw new Error(editor.value)
      editor.value = editor.value.replace(${JSON.stringify(text)}, ${JSON.stringify(by)})
      return editor.dispatchEvent(new Event('input'))
    })()`)

  test('says what is wrong with a definition as one types, and applies it', async () => {
    await press('Definition')
    await page.until(answered('good', 'is valid'))
    await type('type: integer, maximum', 'type: number of them, maximum')
    await page.until(answered('bad', 'Unsupported value: "number of them"'))
    await type('type: number of them, maximum', 'type: integer, maximum')
    await type('self.minPlayers <= self.players', 'self.minPlayers <= self.player')
    await page.until(answered('bad', 'undefined field'))
    await type('self.minPlayers <= self.player', 'self.minPlayers <= self.players')
    await page.until(answered('good', 'is valid'))
    assert.equal(await page.evaluate(shown('games.example.com')), 0, 'nothing is stored yet')
    await press('Apply')
    await page.until(answered('good', 'created'))
    await page.until(`${shown('games.example.com')} === 1`)
  })

  test('validates custom resources by schema and by rules in CEL', async () => {
    await press('Custom resource')
    await page.until(answered('good', 'is valid'))
    for (const [good, bad, message] of [
      ['map: island', 'map: city', 'Unsupported value: "city"'],
      ['players: 4', 'players: 1', "a game can't need more players than it has"],
      ['players: 4', 'players: many', 'expected numeric'],
      ['players: 4', 'players: 4\n  colour: red', 'colour'],
      ['players: 4', 'players: [', 'Flow sequence'],
    ] as const) {
      await type(good, bad)
      await page.until(answered('bad', message))
      await type(bad, good)
      await page.until(answered('good', 'is valid'))
    }
    await press('Apply')
    await page.until(`${shown('friday')} === 1`)
  })

  test('enforces policies, and shows changes and deletions', async () => {
    await press('Policy')
    await press('Apply')
    await page.until(`${shown('few-replicas')} === 2`)
    await press('Deployment')
    await type('replicas: 3', 'replicas: 30')
    await page.until(answered('bad', 'at most 5 replicas, not 30'))
    await type('replicas: 30', 'replicas: 3')
    await press('Apply')
    await page.until(`${shown('web')} === 1`)
    await type('replicas: 3', 'replicas: 4')
    await press('Apply')
    await page.until(`document.querySelector('tr[data-name="web"]')?.cells[3].textContent === '2'`)
    const picture = process.env['APISERVER_PICTURE']
    if (picture !== undefined) {
      await type('replicas: 4', 'replicas: 30')
      await page.until(answered('bad', 'at most 5 replicas'))
      writeFileSync(picture, await page.screenshot())
    }
    await page.evaluate(`document.querySelector('tr[data-name="web"] button').click()`)
    await page.until(`${shown('web')} === 0`)
  })

  test('a second page of the same origin does not open the store', async () => {
    await page.evaluate(`(() => {
      const frame = document.createElement('iframe')
      frame.src = '/'
      document.body.append(frame)
    })()`)
    await page.until(
      `document.querySelector('iframe').contentDocument.querySelector('#status')?.textContent === 'another page or worker has the store open'`,
    )
    await page.evaluate("document.querySelector('iframe').remove()")
  })

  test('opened again without the file server, it has its objects', async () => {
    await page.until('navigator.serviceWorker.controller !== null')
    await stopServer()
    stopServer = async () => {}
    assert.equal(await page.open(url), 200)
    await page.until(isReady)
    await page.until(`${shown('friday')} === 1`)
    assert.equal(await page.evaluate(shown('web')), 0, 'what was deleted stays deleted')
    await press('Custom resource')
    await type('players: 4', 'players: 1')
    await page.until(answered('bad', "a game can't need more players than it has"))
  })

  test('the console has no error', () => {
    // A file server that has ended can't be asked for newer files.
    assert.deepEqual(
      page.errors.filter((error) => !error.includes('ERR_CONNECTION_REFUSED')),
      [],
    )
  })
})
