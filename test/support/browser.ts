/** A headless Chromium with one page, over the Chrome DevTools Protocol (https://chromedevtools.github.io/devtools-protocol). */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { killedAtExit } from './child.ts'
import { temporaryDirectory } from './temporary.ts'
import { eventually, within } from './wait.ts'

/** Absent: none is installed. */
export const chromium = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0,
)

export interface Page {
  /** Sends these headers with each request from now on. */
  sendHeaders(headers: Readonly<Record<string, string>>): Promise<void>
  /** Opens an address, and returns the status of its response. */
  open(url: string): Promise<number>
  /** The value of an expression in the page; it must be JSON. */
  evaluate<T>(expression: string): Promise<T>
  /** Waits until an expression is true in the page. */
  until(expression: string): Promise<void>
  /** Errors of scripts, of policies, and of requests, as the browser's console shows them. */
  readonly errors: readonly string[]
  /** The page as PNG. */
  screenshot(): Promise<Buffer>
  close(): Promise<void>
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: {
    readonly type?: string
    readonly response?: { readonly status: number }
    readonly entry?: { readonly level: string; readonly text: string; readonly url?: string }
    readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } }
    readonly args?: readonly { readonly value?: unknown; readonly description?: string }[]
  }
  readonly result?: object
  readonly error?: { readonly message: string }
}

/** A request that the browser gives up because an interface came or went: other tests make networks of their own. */
const networkChanged = 'net::ERR_NETWORK_CHANGED'

/** Starts the browser, without checks of certificates. */
export async function openPage(program: string): Promise<Page> {
  const profile = temporaryDirectory()
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--no-first-run',
    '--ignore-certificate-errors',
  ]
  const child = killedAtExit(
    spawn(program, [...flags, `--user-data-dir=${profile.path}`, '--window-size=1200,900', '--remote-debugging-pipe', 'about:blank'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    }),
  )
  const gone = once(child, 'close')
  const [to, from] = [child.stdio[3] as Writable, child.stdio[4] as Readable]
  const waiting = new Map<number, { resolve(result: object): void; reject(error: Error): void }>()
  const errors: string[] = []
  let documentStatus: ((status: number) => void) | undefined
  let [sent, rest] = [0, '']

  const heard = ({ id, method, params = {}, result = {}, error }: Message): void => {
    const { response, entry, exceptionDetails: thrown, args = [] } = params
    if (id !== undefined) {
      if (error) waiting.get(id)?.reject(new Error(error.message))
      else waiting.get(id)?.resolve(result)
      waiting.delete(id)
    } else if (method === 'Network.responseReceived' && params.type === 'Document' && response) documentStatus?.(response.status)
    else if (method === 'Log.entryAdded' && entry?.level === 'error') {
      if (!entry.text.includes(networkChanged)) errors.push(`${entry.text} ${entry.url ?? ''}`)
    } else if (method === 'Runtime.exceptionThrown' && thrown) errors.push(thrown.exception?.description ?? thrown.text)
    else if (method === 'Runtime.consoleAPICalled' && params.type === 'error')
      errors.push(args.map(({ value, description }) => String(value ?? description)).join(' '))
  }
  from.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\0')
    rest = messages.pop() ?? ''
    for (const message of messages) heard(JSON.parse(message) as Message)
  })
  const call = <T extends object>(method: string, params: object = {}, sessionId?: string): Promise<T> =>
    within(
      method,
      new Promise<object>((resolve, reject) => {
        const id = ++sent
        waiting.set(id, { resolve, reject })
        to.write(`${JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) })}\0`)
      }),
    ) as Promise<T>

  const { targetId } = await call<{ targetId: string }>('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await call<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true })
  const ask = <T extends object>(method: string, params?: object) => call<T>(method, params, sessionId)
  for (const domain of ['Page', 'Network', 'Log', 'Runtime']) await ask(`${domain}.enable`)

  async function evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails: thrown } = await ask<{
      result: { value: T }
      exceptionDetails?: { exception?: { description?: string } }
    }>('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true })
    if (thrown) throw new Error(thrown.exception?.description ?? 'the page threw an error')
    return result.value
  }
  return {
    errors,
    evaluate,
    async sendHeaders(headers) {
      await ask('Network.setExtraHTTPHeaders', { headers })
    },
    async open(url) {
      const status = new Promise<number>((resolve) => {
        documentStatus = resolve
      })
      await ask('Page.navigate', { url })
      return within(`response of ${url}`, status)
    },
    until: (expression) => eventually(expression, async () => (await evaluate<boolean>(expression)) || undefined).then(() => undefined),
    async screenshot() {
      const { data } = await ask<{ data: string }>('Page.captureScreenshot', { format: 'png' })
      return Buffer.from(data, 'base64')
    },
    async close() {
      await call('Browser.close').catch(() => undefined)
      await within('end of the browser', gone)
      profile.remove()
    },
  }
}
