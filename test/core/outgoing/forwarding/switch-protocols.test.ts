import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Handler } from '../../../../core/filters/filter.ts'
import { noUpgrades, switchProtocols } from '../../../../core/outgoing/forwarding/switch-protocols.ts'
import type { ByteStream, Connection } from '../../../../core/ports.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { within } from '../../../support/wait.ts'

test('a handler behind the filters gets the stream; it ends when the server closes', async () => {
  let ended = (_reason: unknown) => {}
  const end = new Promise<unknown>((resolve) => {
    ended = resolve
  })
  const echo: Handler = (exchange) =>
    switchProtocols(exchange, { upgrade: 'echo' }, async ({ readable, writable }, signal) => {
      signal.addEventListener('abort', () => ended(signal.reason))
      await readable.pipeTo(writable, { signal })
    })
  const { server } = await startInProcess({ controllers: [], delegates: new Map([['echo.example.com/v1', echo]]) })
  const ask = (headers: Record<string, string>, connection?: Connection) =>
    server.fetch(new Request('https://x/apis/echo.example.com/v1/namespaces/a/pods/b/exec', { headers }), connection)
  const refused = async (headers: Record<string, string>) => ((await (await ask(headers)).json()) as { message: string }).message
  assert.equal(await refused({}), 'Upgrade request required')
  assert.equal(await refused({ upgrade: 'echo' }), noUpgrades)

  const [sent, received] = [new TransformStream<Uint8Array<ArrayBuffer>>(), new TransformStream<Uint8Array<ArrayBuffer>>()]
  const stream: ByteStream = { readable: sent.readable, writable: received.writable }
  const connection: Connection = {
    remoteAddress: '',
    remotePort: 0,
    protocol: 'http/1.1',
    upgrade(headers, use) {
      use(stream)
      return new Response(null, { headers })
    },
  }
  assert.equal((await ask({ upgrade: 'echo' }, connection)).headers.get('upgrade'), 'echo')
  const writer = sent.writable.getWriter()
  void writer.write(new TextEncoder().encode('word')).catch(() => undefined)
  const { value } = await within('the echo', received.readable.getReader().read())
  assert.equal(new TextDecoder().decode(value), 'word')
  writer.closed.catch(() => undefined)
  await server.close()
  assert.match(String(await within('the end', end)), /shutting down|closed/)
})
