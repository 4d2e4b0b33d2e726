import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createExporter } from '../../../../runtimes/node/tracing/exporter.ts'
import type { Dial } from '../../../../runtimes/wire/client/socket.ts'
import { freePort } from '../../../support/free-port.ts'
import { startOtlpReceiver } from '../../../support/otlp-receiver.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

interface Warning {
  readonly lost: number
  readonly error: string
}

function exporterTo(endpoint: string, dial?: Dial) {
  const warnings: Warning[] = []
  const ignored = () => undefined
  const logger = { debug: ignored, info: ignored, warn: (fields: object) => void warnings.push(fields as Warning), error: ignored }
  const exporter = createExporter({ endpoint, dial, resource: {}, scope: 'test', logger })
  return {
    exported: () => new Promise<number>((resolve) => exporter.export([], ({ code }) => resolve(code))),
    warnings,
    [Symbol.asyncDispose]: () => exporter.shutdown(),
  }
}

test('targets of gRPC: hosts, names, and Unix sockets', async (t) => {
  const { path, remove } = temporaryDirectory('collector')
  t.after(remove)
  using collector = await startOtlpReceiver()
  const port = Number(collector.endpoint.split(':')[1])
  const sockets = [join(path, 'collector.sock'), ...(process.platform === 'linux' ? ['\0collector-of-the-test'] : [])]
  const open = new Set<Socket>()
  for (const socket of sockets) {
    const relay = createServer((near) => {
      const far = connect(port, '127.0.0.1')
      for (const each of [near, far]) open.add(each.on('error', () => undefined))
      near.pipe(far).pipe(near)
    })
    relay.listen(socket)
    await once(relay, 'listening')
    t.after(() => {
      relay.close()
      for (const each of open) each.destroy()
    })
  }
  const targets = [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `dns:localhost:${port}`,
    `dns:///127.0.0.1:${port}`,
    `dns://127.0.0.53/127.0.0.1:${port}`,
    ...sockets.flatMap((each) => (each.startsWith('\0') ? [`unix-abstract:${each.slice(1)}`] : [`unix:${each}`, `unix://${each}`])),
  ]
  for (const [at, target] of targets.entries()) {
    await using exporter = exporterTo(target)
    assert.equal(await exporter.exported(), 0, target)
    assert.equal(collector.exports, at + 1, target)
  }
})

test('a dial gets the addresses of a name, one after the other', async () => {
  using collector = await startOtlpReceiver()
  const port = Number(collector.endpoint.split(':')[1])
  const dialed: string[] = []
  await using exporter = exporterTo('localhost:4317', async (host, asked) => {
    dialed.push(`${host} ${asked}`)
    if (host === '::1') throw new Error('no way')
    return connect(port, '127.0.0.1')
  })
  assert.equal(await exporter.exported(), 0)
  assert.equal(dialed.at(-1), '127.0.0.1 4317')
})

test('an export waits for a collector that is not there yet, and ends when the exporter closes', async () => {
  const port = await freePort()
  await using exporter = exporterTo(`127.0.0.1:${port}`)
  const waiting = exporter.exported()
  await assert.rejects(once(connect(port, '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' })
  using collector = await startOtlpReceiver(port)
  assert.equal(await waiting, 0)
  assert.equal(collector.exports, 1)

  const closed = exporterTo(`127.0.0.1:${await freePort()}`)
  const given = closed.exported()
  await closed[Symbol.asyncDispose]()
  assert.equal(await given, 1)
  assert.equal(closed.warnings.length, 1)
})
