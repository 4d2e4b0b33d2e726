/** Commands and port-forwards with kubectl, by SPDY and by WebSocket, with a node agent that runs real processes. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { apiOf } from '../support/api.ts'
import { killedAtExit } from '../support/child.ts'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { type KubectlBinary, kubectls } from '../support/kubectl.ts'
import { type NodeAgent, ownAddress, registerAgent, startNodeAgent } from '../support/node-agent/start.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually, within } from '../support/wait.ts'

const binaries = kubectls()
/** The first release of kubectl with WebSockets. */
const firstWithWebSockets = 30
const megabytes = 100
const content = randomBytes(1024 * 1024)

const sha256 = (bytes: Iterable<Buffer>) => {
  const digest = createHash('sha256')
  for (const part of bytes) digest.update(part)
  return digest.digest('hex')
}
const expected = sha256(Array.from({ length: megabytes }, () => content))

interface Mode {
  readonly name: string
  readonly binary: KubectlBinary
  readonly webSockets: boolean
}

const modes: readonly Mode[] = binaries.flatMap((binary) => [
  { name: `kubectl ${binary.version}, SPDY`, binary, webSockets: false },
  ...(binary.minor >= firstWithWebSockets ? [{ name: `kubectl ${binary.version}, WebSocket`, binary, webSockets: true }] : []),
])

const hasScript = spawnSync('script', ['--version']).status === 0
const address = ownAddress()
const skip = binaries.length === 0 ? 'kubectl is not installed' : address === undefined && 'this host has no address but loopback'

describe('streams of node agents', { skip, timeout: 3_600_000 }, () => {
  const { path: home, remove } = temporaryDirectory()
  let agent: NodeAgent
  let daemon: Daemon
  let echo: Server
  before(async () => {
    agent = await startNodeAgent({ address: address ?? '' })
    daemon = await startDaemon({ flags: [...agent.flags, '--nodeagent-preferred-address-types=InternalIP'] })
    const api = apiOf(daemon.fetch)
    await registerAgent(api, agent)
    const containers = ['ticks', 'hundred'].map((name) => ({ name, image: 'none' }))
    await api.create('/api/v1/namespaces/default/pods', { metadata: { name: 'logger' }, spec: { nodeName: 'agent', containers } })
    echo = createServer({ allowHalfOpen: true }, (socket) => void socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1')
    await once(echo, 'listening')
  })
  after(async () => {
    echo?.close()
    await daemon?.stop()
    agent?.close()
    remove()
  })

  const state = async () =>
    (await (await daemon.fetch('/api/v1/nodes/agent/proxy/state')).json()) as {
      commands: number
      logs: number
      forwards: number
      upgrades: number
      pings: number
    }

  for (const { name, binary, webSockets } of modes)
    describe(name, () => {
      const env = () => ({
        ...{ HOME: home, KUBECONFIG: daemon.kubeconfig, PATH: process.env['PATH'] },
        ...{ KUBECTL_REMOTE_COMMAND_WEBSOCKETS: String(webSockets), KUBECTL_PORT_FORWARD_WEBSOCKETS: String(webSockets) },
      })
      const start = (...args: readonly string[]) => killedAtExit(spawn(binary.path, args, { env: env() }))

      async function run(args: readonly string[], input: Iterable<Buffer> = []) {
        const child = start(...args)
        const digest = createHash('sha256')
        let [stdout, stderr, bytes] = ['', '', 0]
        child.stdout.on('data', (chunk: Buffer) => {
          digest.update(chunk)
          bytes += chunk.length
          if (stdout.length < 65_536) stdout += chunk
        })
        child.stderr.on('data', (chunk: Buffer) => (stderr += chunk))
        child.stdin.on('error', () => undefined)
        const ended = once(child, 'close')
        for (const part of input) if (!child.stdin.write(part)) await within('input', once(child.stdin, 'drain'))
        child.stdin.end()
        const [code] = await within(`kubectl ${args.join(' ')}`, ended)
        return { code, stdout, stderr, bytes, sha256: digest.digest('hex') }
      }

      test('exec: output, errors and the exit code', async () => {
        const { code, stdout, stderr } = await run(['exec', 'runner', '--', 'sh', '-c', 'echo out; echo err >&2; exit 7'])
        assert.deepEqual([code, stdout], [7, 'out\n'])
        assert.match(stderr, /^err\ncommand terminated with exit code 7\n$/)
        const missing = await run(['exec', 'runner', '--', 'no-such-program'])
        assert.equal(missing.code, 1)
        assert.match(missing.stderr, /spawn no-such-program ENOENT/)
      })

      test(`exec: ${megabytes} MB each way`, async () => {
        const { code, bytes, sha256: found } = await run(['exec', '-i', 'runner', '--', 'cat'], Array(megabytes).fill(content))
        assert.deepEqual([code, bytes, found], [0, megabytes * content.length, expected])
      })

      test('exec: a client that is killed ends the command', async () => {
        const child = start('exec', '-i', 'runner', '--', 'sh', '-c', 'echo ready; exec sleep 1000')
        await within('the output', once(child.stdout, 'data'))
        assert.equal((await state()).commands, 1)
        child.kill('SIGKILL')
        await eventually('the end of the command', async () => (await state()).commands === 0)
        await eventually('the end of the connection', async () => (await state()).upgrades === 0)
      })

      test('exec: a terminal, its size and the exit code', { skip: !hasScript && 'script is not installed' }, async () => {
        const command = `stty rows 33 cols 99; '${binary.path}' exec -it runner -- sh -c 'echo ready; read x; echo "got $x"; exit 5'; echo "code $?"`
        const child = killedAtExit(spawn('script', ['-qefc', command, '/dev/null'], { env: { ...env(), TERM: 'xterm', SHELL: '/bin/sh' } }))
        let output = ''
        child.stdout.on('data', (chunk: Buffer) => (output += chunk))
        await eventually('the prompt', async () => /ready/.test(output) && /size 99x33/.test(output))
        child.stdin.write('typed\r')
        await eventually('the answer', async () => /got typed/.test(output) && /code 5/.test(output))
        child.kill('SIGKILL')
      })

      test('attach', async () => {
        const { code, stdout } = await run(['attach', '-i', 'runner'], [Buffer.from('echo attached\n')])
        assert.deepEqual([code, stdout], [0, 'attached\n'])
      })

      test(`cp: ${megabytes} MB there and back`, {
        skip: spawnSync('tar', ['--version']).status !== 0 && 'tar is not installed',
      }, async () => {
        const place = join(home, `${binary.minor}-${webSockets}`)
        mkdirSync(place)
        writeFileSync(join(place, 'sent'), Buffer.concat(Array<Buffer>(megabytes).fill(content)))
        for (const [from, to] of [
          ['sent', 'runner:kept'],
          ['runner:kept', 'back'],
        ] as const) {
          const path = (each: string) => (each.startsWith('runner:') ? `runner:${join(place, 'kept')}` : join(place, each))
          const { code, stderr } = await run(['cp', path(from), path(to)])
          assert.equal(code, 0, stderr)
        }
        assert.equal(sha256([readFileSync(join(place, 'back'))]), expected)
        rmSync(place, { recursive: true })
      })

      test('logs', async () => {
        const { code, stdout } = await run(['logs', 'runner', '-c', 'main', '--tail=3'])
        assert.deepEqual([code, stdout], [0, ''])
      })

      test(`logs -f: ${megabytes} MB, and until kubectl ends`, async () => {
        const whole = await run(['logs', '-f', 'logger', '-c', 'hundred'])
        assert.deepEqual([whole.code, whole.bytes], [0, megabytes * content.length])
        const child = start('logs', '-f', 'logger', '-c', 'ticks')
        let output = ''
        child.stdout.on('data', (chunk: Buffer) => (output += chunk))
        await eventually('the log', async () => /^tick 0\ntick 1\n[\s\S]*tick 5\n/.test(output))
        assert.equal((await state()).logs, 1)
        child.kill()
        await eventually('the end at the agent', async () => (await state()).logs === 0)
      })

      test(`port-forward: ${megabytes} MB each way, several connections, and a port that is closed`, async () => {
        const local = await freePort()
        const closed = await freePort()
        const { port } = echo.address() as { port: number }
        const child = start('port-forward', 'pod/runner', `${local}:${port}`, `:${closed}`)
        let output = ''
        child.stdout.on('data', (chunk: Buffer) => (output += chunk))
        child.stderr.on('data', (chunk: Buffer) => (output += chunk))
        await eventually('the port', async () => (output.match(/Forwarding from 127/g) ?? []).length === 2)
        const dial = async () => {
          const socket = connect({ port: local, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined)
          await within('the connection', once(socket, 'connect'))
          return socket
        }
        const send = async (socket: Socket, count: number) => {
          const digest = createHash('sha256')
          socket.on('data', (chunk: Buffer) => digest.update(chunk))
          const ended = once(socket, 'end')
          for (let i = 0; i < count; i++) if (!socket.write(content)) await within('writing', once(socket, 'drain'))
          socket.end()
          await within('the end', ended)
          return digest.digest('hex')
        }
        assert.equal(await send(await dial(), megabytes), expected)
        const one = sha256([content])
        assert.deepEqual(await Promise.all([1, 2, 3].map(async () => send(await dial(), 1))), [one, one, one])
        const [, refused = ''] = /Forwarding from 127\.0\.0\.1:(\d+) -> (?!\d*$)/.exec(output) ?? []
        const second =
          Number(refused) === local
            ? Number(/:(\d+) -> /.exec(output.split('\n').find((line) => line.includes(`-> ${closed}`)) ?? '')?.[1])
            : Number(refused)
        const socket = connect(second, '127.0.0.1').on('error', () => undefined)
        await eventually('the error', async () => /error forwarding port/.test(output))
        socket.destroy()
        child.kill()
        await eventually('the end of the connections', async () => (await state()).forwards === 0)
        await eventually('the end of the upgrade', async () => (await state()).upgrades === 0)
      })
    })

  test('what was translated, unpacked and asked for is counted', {
    skip: !modes.some(({ webSockets }) => webSockets) && 'no kubectl with WebSockets',
  }, async () => {
    const lines = (await (await daemon.fetch('/metrics')).text()).split('\n')
    const value = (sample: string) =>
      Number(
        lines
          .find((line) => line.startsWith(`${sample} `))
          ?.split(' ')
          .at(-1) ?? 0,
      )
    assert.ok(value('apiserver_stream_translator_requests_total{code="200"}') >= 2)
    assert.ok(value('apiserver_stream_tunnel_requests_total{code="101"}') >= 1)
    for (const subresource of ['attach', 'exec', 'portforward'])
      assert.ok(
        value(`apiserver_websocket_streaming_requests_total{proxy_type="translated_at_apiserver",subresource="${subresource}"}`) >= 1,
        subresource,
      )
    assert.ok(value('kube_apiserver_pod_logs_insecure_backend_total{usage="enforce_tls"}') >= 1)
  })
})
