/** `/debug/live` in a real browser. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { chromium, openPage, type Page } from '../support/browser.ts'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually } from '../support/wait.ts'

const skip = chromium === undefined && 'no Chromium is installed'
const directory = temporaryDirectory()
let daemon: Daemon
let page: Page
before(async () => {
  if (skip) return
  const tokens = join(directory.path, 'tokens.csv')
  writeFileSync(tokens, 'may-read,admin,1,"system:masters"\nmay-not,bob,2\n')
  daemon = await startDaemon({ directory: directory.path, flags: [`--token-auth-file=${tokens}`] })
  page = await openPage(chromium ?? '')
})
after(async () => {
  await page?.close()
  await daemon?.stop()
  directory.remove()
})

const withToken = (token: string) => ({ Authorization: `Bearer ${token}` })
const dot = "getComputedStyle(document.querySelector('#dot')).backgroundColor"
const [green, red] = ['rgb(47, 174, 102)', 'rgb(214, 69, 69)']
/** The rows of the list with this title: names and numbers. */
const rowsOf = (title: string) =>
  `[...document.querySelectorAll('section')].filter((section) => section.querySelector('h2').textContent === '${title}')
    .flatMap((section) => [...section.querySelectorAll('li')].map((row) => [row.querySelector('b').textContent, row.querySelector('span').textContent]))`

test('a viewer without rights sees 403', { skip }, async () => {
  await page.sendHeaders(withToken('may-not'))
  assert.equal(await page.open(`${daemon.url}/debug/live`), 403)
  assert.match(await page.evaluate<string>('document.body.textContent'), /cannot get path \\?"\/debug\/live/)
  // So that it is not taken for an error of the next page.
  await eventually('error of the request', async () => page.errors.some((error) => error.includes('403')))
})

test('rows are drawn and change under load, the dot is green, and the console has no error', { skip }, async () => {
  await page.sendHeaders(withToken('may-read'))
  const errors = page.errors.length
  assert.equal(await page.open(`${daemon.url}/debug/live`), 200)
  // Lines need two readings of one connection, which a busy machine may cut off between them.
  await page.until("document.querySelectorAll('path.line[d^=M]').length === 6")
  assert.equal(await page.evaluate(dot), green)

  const watch = await daemon.fetch('/api/v1/configmaps?watch=1')
  for (let i = 0; i < 50; i++) await (await daemon.fetch('/api/v1/namespaces')).text()
  await page.until(`${rowsOf('Watches')}.some(([name]) => name === 'configmaps')`)
  await page.until(`${rowsOf('Requests since the start')}.some(([name, value]) => name === 'LIST' && Number(value.replace(',', '')) >= 50)`)
  await page.until(`${rowsOf('Objects in watch caches')}.some(([name, value]) => name === 'namespaces' && Number(value) >= 4)`)
  await watch.body?.cancel()
  await page.until(`!${rowsOf('Watches')}.some(([name]) => name === 'configmaps')`)
  // The browser asks for the icon of the page before, which is no HTML.
  assert.deepEqual(
    page.errors.slice(errors).filter((error) => !error.endsWith('/favicon.ico')),
    [],
  )
})

test('the policy of the page allows nothing else', { skip }, async () => {
  const errors = page.errors.length
  const fails = await page.evaluate<boolean>(`new Promise((resolve) => {
    const image = new Image()
    image.onerror = () => resolve(true)
    image.onload = () => resolve(false)
    image.src = '/logo.png'
  })`)
  assert.ok(fails)
  await eventually('error of the policy', async () => page.errors.slice(errors).some((error) => error.includes('Content Security Policy')))
})

test('the dot turns red when the server leaves', { skip }, async () => {
  await daemon.stop()
  await page.until(`${dot} === '${red}'`)
})
