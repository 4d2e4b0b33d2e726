/** exec, attach, portforward and log for plain WebSocket clients: every subprotocol, with a node agent that runs real processes. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { apiOf } from '../support/api.ts'
import { type Daemon, readCredentials, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { residentMiB } from '../support/memory.ts'
import { SpdyConnection } from '../support/node-agent/spdy.ts'
import { type NodeAgent, ownAddress, registerAgent, startNodeAgent } from '../support/node-agent/start.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually, within } from '../support/wait.ts'
import { type Dialled, dialWebSocket, opcodes, type WebSocketPeer } from '../support/websocket.ts'

const [stdin, stdout, stderr, error, resize] = [0, 1, 2, 3, 4]
const closeSignal = 255

interface Protocol {
  /** Empty: the client offers none. */
  readonly name: string
  readonly isText: boolean
  /** The end of a command is a Status in JSON; otherwise the text of an error, or nothing. */
  readonly hasStatus: boolean
}

const commandProtocols: readonly Protocol[] = [
  { name: '', isText: false, hasStatus: false },
  { name: 'channel.k8s.io', isText: false, hasStatus: false },
  { name: 'base64.channel.k8s.io', isText: true, hasStatus: false },
  { name: 'v4.channel.k8s.io', isText: false, hasStatus: true },
  { name: 'v4.base64.channel.k8s.io', isText: true, hasStatus: true },
  { name: 'v5.channel.k8s.io', isText: false, hasStatus: true },
]
const forwardProtocols = commandProtocols.filter(({ name }) => ['', 'v4.channel.k8s.io', 'v4.base64.channel.k8s.io'].includes(name))
const logProtocols = [
  { name: '', isText: false },
  { name: 'binary.k8s.io', isText: false },
  { name: 'base64.binary.k8s.io', isText: true },
]

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, at) => at))
const large = Buffer.alloc(300_000, everyByte)

/** Bytes that are offered to who does not read. */
const amount = 200 * 1024 * 1024
/** Most bytes that leave the sender: what the connections' buffers in the kernel hold, and more. */
const mostSent = 48 * 1024 * 1024
/** Most MiB that the server grows by. */
const mostMemory = 64

/** A client of channels: what each has received. */
class Client {
  readonly peer: WebSocketPeer
  readonly #isText: boolean
  readonly #received = new Map<number, Buffer[]>()
  /** Messages in their order: number of the channel. */
  readonly order: number[] = []
  readonly ended: Promise<void>

  constructor(peer: WebSocketPeer, { isText }: Pick<Protocol, 'isText'>) {
    this.peer = peer
    this.#isText = isText
    peer.message = (bytes, opcode) => {
      assert.equal(opcode, isText ? opcodes.text : opcodes.binary)
      const channel = (bytes[0] ?? 0) - (isText ? 48 : 0)
      const rest = bytes.subarray(1)
      this.order.push(channel)
      this.#received.set(channel, [...(this.#received.get(channel) ?? []), isText ? Buffer.from(String(rest), 'base64') : rest])
    }
    this.ended = peer.serve().catch(() => undefined)
  }

  bytesOf = (channel: number) => Buffer.concat(this.#received.get(channel) ?? [])

  async send(channel: number, bytes: Uint8Array): Promise<void> {
    if (this.#isText) await this.peer.send(`${channel}${Buffer.from(bytes).toString('base64')}`, opcodes.text)
    else await this.peer.send(Buffer.concat([Buffer.of(channel), bytes]))
  }
}

const address = ownAddress()
const hasScript = spawnSync('script', ['--version']).status === 0
const query = (parameters: { readonly [name: string]: string | readonly string[] }) =>
  new URLSearchParams(Object.entries(parameters).flatMap(([name, value]) => [value].flat().map((each) => [name, each]))).toString()

for (const passesV5 of [false, true])
  describe(passesV5 ? 'WebSockets of node agents that speak v5' : 'WebSockets of node agents', {
    skip: address === undefined && 'this host has no address but loopback',
    timeout: 3_600_000,
  }, () => {
    let agent: NodeAgent
    let daemon: Daemon
    let echo: Server
    before(async () => {
      agent = await startNodeAgent({ address: address ?? '', webSocketV5: passesV5 })
      const gates = passesV5 ? ['--feature-gates=ExtendWebSocketsToKubelet=true,NodeDeclaredFeatures=true'] : []
      daemon = await startDaemon({
        flags: [...agent.flags, '--platform=kubernetes', '--nodeagent-preferred-address-types=InternalIP', ...gates],
      })
      const api = apiOf(daemon.fetch)
      await registerAgent(api, agent, { containers: ['lines', 'quiet', 'flood', 'bad'] })
      if (passesV5) await api.patch('/api/v1/nodes/agent/status', { status: { declaredFeatures: ['ExtendWebSocketsToKubelet'] } })
      echo = createServer({ allowHalfOpen: true }, (socket) => void socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1')
      await once(echo, 'listening')
    })
    after(async () => {
      echo?.close()
      await daemon?.stop()
      agent?.close()
    })

    const dial = (path: string, protocols: readonly string[]): Promise<Dialled> =>
      within(
        path,
        dialWebSocket(
          { port: daemon.port, host: '127.0.0.1', tls: readCredentials(daemon.kubeconfig) },
          `/api/v1/namespaces/default/pods/runner/${path}`,
          protocols,
        ),
      )
    const offered = ({ name }: { readonly name: string }) => (name === '' ? [] : [name])
    async function open(path: string, protocol: Pick<Protocol, 'name' | 'isText'>): Promise<Client> {
      const { status, headers, text, peer } = await dial(path, offered(protocol))
      assert.equal(status, 101, text)
      assert.equal(headers['sec-websocket-protocol'] ?? '', protocol.name)
      return new Client(peer as WebSocketPeer, protocol)
    }
    const state = async () => (await (await daemon.fetch('/api/v1/nodes/agent/proxy/state')).json()) as { [name: string]: number }
    /** Nothing is left at the agent. */
    const idle = () =>
      eventually('the end at the agent', async () => {
        const { commands, forwards, upgrades, logs } = await state()
        return commands === 0 && forwards === 0 && upgrades === 0 && logs === 0
      })

    const endOf = (client: Client, { hasStatus }: Protocol, code: number): void => {
      const text = String(client.bytesOf(error))
      if (!hasStatus) {
        assert.match(text, code === 0 ? /^$/ : new RegExp(`exit status ${code}$`))
        return
      }
      const { status, reason, details } = JSON.parse(text)
      if (code === 0) assert.equal(status, 'Success')
      else
        assert.deepEqual([status, reason, details.causes], ['Failure', 'NonZeroExitCode', [{ reason: 'ExitCode', message: String(code) }]])
    }

    for (const protocol of commandProtocols)
      describe(protocol.name || 'no subprotocol', () => {
        for (const verb of ['exec', 'attach'])
          test(`${verb}: the bytes of each channel, the exit code, the close frame`, async () => {
            const command = `echo ready; head -c ${large.length}; echo err >&2; exit 7`
            const streams = { container: 'lines', stdin: 'true', stdout: 'true', stderr: 'true' }
            const client = await open(
              `${verb}?${query({ ...streams, ...(verb === 'exec' && { command: ['sh', '-c', command] }) })}`,
              protocol,
            )
            if (verb === 'attach') await client.send(stdin, Buffer.from(`exec sh -c '${command}'\n`))
            // The shell to attach to may read more than the command.
            await eventually('the command', async () => client.bytesOf(stdout).length > 0)
            for (let at = 0; at < large.length; at += 70_000) await client.send(stdin, large.subarray(at, at + 70_000))
            await within('the end', client.ended)
            assert.ok(
              client.bytesOf(stdout).equals(Buffer.concat([Buffer.from('ready\n'), large])),
              `${client.bytesOf(stdout).length} bytes`,
            )
            assert.equal(String(client.bytesOf(stderr)), 'err\n')
            endOf(client, protocol, 7)
            assert.equal(client.order[0], stdout, 'an empty message tells that the connection is open')
            assert.equal(client.order.at(-1), error)
            assert.equal(client.peer.closeCode, 1000)
            await idle()
          })

        test('exec: success, and only the streams that were asked for', async () => {
          const client = await open(
            `exec?${query({ container: 'lines', stderr: 'true', command: ['sh', '-c', 'echo no; echo yes >&2'] })}`,
            protocol,
          )
          // A stream that was not asked for, and a channel that does not exist.
          await client.send(stdin, Buffer.from('ignored'))
          if (!protocol.isText) await client.send(9, Buffer.from('ignored'))
          await within('the end', client.ended)
          assert.deepEqual([String(client.bytesOf(stdout)), String(client.bytesOf(stderr))], ['', 'yes\n'])
          assert.equal(client.order[0], stderr)
          endOf(client, protocol, 0)
        })

        test('exec: fragments, pings and empty messages', async () => {
          const client = await open(
            `exec?${query({ container: 'lines', stdin: 'true', stdout: 'true', command: ['head', '-c', '6'] })}`,
            protocol,
          )
          const [kind, bytes] = protocol.isText ? [opcodes.text, Buffer.from('0YWJj')] : [opcodes.binary, Buffer.from('\0abc')]
          await client.peer.send('', kind)
          await client.peer.send(bytes.subarray(0, 1), kind, false)
          await client.peer.send('there?', opcodes.ping)
          await client.peer.send(bytes.subarray(1, 3), opcodes.continuation, false)
          await client.peer.send(bytes.subarray(3), opcodes.continuation)
          await client.send(stdin, Buffer.from('def'))
          await within('the end', client.ended)
          assert.equal(String(client.bytesOf(stdout)), 'abcdef')
          assert.deepEqual(client.peer.pongs, ['there?'])
        })

        test('exec: a terminal and its size', { skip: !hasScript && 'script is not installed' }, async () => {
          const command = ['sh', '-c', 'read x; echo "got $x"; exit 5']
          const client = await open(`exec?${query({ container: 'lines', stdin: 'true', stdout: 'true', tty: 'true', command })}`, protocol)
          await client.send(resize, Buffer.from('{"Width":99,"Height":33}'))
          await eventually('the size', async () => /size 99x33/.test(String(client.bytesOf(stdout))))
          await client.send(stdin, Buffer.from('typed\r'))
          await within('the end', client.ended)
          assert.match(String(client.bytesOf(stdout)), /got typed/)
          endOf(client, protocol, 5)
        })

        for (const [name, leave] of Object.entries<(client: Client) => Promise<void>>({
          'a close frame': (client: Client) => client.peer.close(),
          'the end of the connection': async (client: Client) => void client.peer.socket.destroy(),
          'a frame that breaks the protocol': (client: Client) => client.peer.send('x', 11),
        }))
          test(`exec: ${name} of the client ends the command`, async () => {
            const command = ['sh', '-c', 'echo ready; exec sleep 1000']
            const client = await open(`exec?${query({ container: 'lines', stdin: 'true', stdout: 'true', command })}`, protocol)
            await eventually('the command', async () => String(client.bytesOf(stdout)) === 'ready\n')
            await leave(client)
            // The agent of the tests ignores what it does not know.
            if (name.startsWith('a frame') && (protocol.name !== 'v5.channel.k8s.io' || passesV5)) await client.peer.close()
            await within('the end', client.ended)
            await idle()
          })
      })

    test('v5: the end of one stream', async () => {
      const client = await open(
        `exec?${query({ container: 'lines', stdin: 'true', stdout: 'true', command: ['cat'] })}`,
        commandProtocols.at(-1) as Protocol,
      )
      await client.send(stdin, everyByte)
      await client.peer.send(Buffer.of(closeSignal, stdin))
      await within('the end', client.ended)
      assert.ok(client.bytesOf(stdout).equals(everyByte))
      assert.equal(JSON.parse(String(client.bytesOf(error))).status, 'Success')
    })

    if (!passesV5)
      test('v5: a malformed end of a stream ends the command', async () => {
        for (const signal of [Buffer.of(closeSignal, 5), Buffer.of(closeSignal, stdin, stdout)]) {
          const client = await open(
            `exec?${query({ container: 'lines', stdin: 'true', stdout: 'true', command: ['sleep', '1000'] })}`,
            commandProtocols.at(-1) as Protocol,
          )
          await client.peer.send(signal)
          await within('the end', client.ended)
          await idle()
        }
      })

    test('a client with several subprotocols gets the first one that is served', async () => {
      const path = `exec?${query({ container: 'lines', stdout: 'true', command: ['true'] })}`
      for (const [protocols, expected] of [
        [['v9.channel.k8s.io', 'v4.channel.k8s.io', 'channel.k8s.io'], 'v4.channel.k8s.io'],
        // v5 among them is translated, unless the agent speaks it.
        [['v4.channel.k8s.io', 'v5.channel.k8s.io'], passesV5 ? 'v4.channel.k8s.io' : 'v5.channel.k8s.io'],
        [['v9.channel.k8s.io', 'v5.channel.k8s.io'], 'v5.channel.k8s.io'],
      ] as const) {
        const { status, headers, peer } = await dial(path, protocols)
        assert.deepEqual([status, headers['sec-websocket-protocol']], [101, expected])
        await within('the end', new Client(peer as WebSocketPeer, { isText: false }).ended)
      }
    })

    test('subprotocols that nobody serves are refused', async () => {
      const command = query({ container: 'lines', stdout: 'true', command: ['true'] })
      const refused = [
        'v2.channel.k8s.io',
        'v3.channel.k8s.io',
        'v9.channel.k8s.io',
        'v5.base64.channel.k8s.io',
        'binary.k8s.io',
        'V5.CHANNEL.K8S.IO',
      ]
      for (const path of [`exec?${command}`, 'attach?container=lines&stdout=true', 'portforward?ports=1', 'log?container=lines'])
        for (const protocol of [
          ...refused.filter((each) => !(path.startsWith('log') && each.startsWith('binary'))),
          'SPDY/3.1+evil.example',
        ]) {
          const { status, text } = await dial(path, [protocol])
          assert.equal(status, 403, `${path}: ${protocol}: ${text}`)
          assert.match(text, /^requested protocol\(s\) are not supported: \[/, `${path}: ${protocol}`)
        }
      await idle()
    })

    for (const protocol of forwardProtocols)
      test(`portforward, ${protocol.name || 'no subprotocol'}: several ports, one of them closed`, async () => {
        const { port } = echo.address() as { port: number }
        const closed = await freePort()
        const client = await open(`portforward?${query({ ports: [String(port), String(closed)] })}`, protocol)
        await client.send(0, large)
        await eventually('the echo', async () => client.bytesOf(0).length >= large.length + 2)
        await eventually('the error', async () => /error forwarding port/.test(String(client.bytesOf(3))))
        for (const [channel, expected] of [port, port, closed, closed].entries())
          assert.equal(client.bytesOf(channel).readUInt16LE(), expected)
        assert.ok(client.bytesOf(0).subarray(2).equals(large))
        assert.equal(client.bytesOf(1).length, 2)
        await client.peer.close()
        await within('the end', client.ended)
        await idle()
      })

    // An agent that speaks WebSockets serves tunnels itself.
    if (!passesV5)
      test('portforward, a tunnel of SPDY: several streams', async () => {
        const { port } = echo.address() as { port: number }
        const { status, headers, peer } = await dial('portforward', ['SPDY/3.1+portforward.k8s.io'])
        assert.deepEqual([status, headers['sec-websocket-protocol']], [101, 'SPDY/3.1+portforward.k8s.io'])
        assert.ok(peer)
        const inside = new Duplex({
          read: () => undefined,
          write: (chunk: Buffer, _encoding, done) => void peer.send(chunk).then(() => done()),
          final: (done) => void peer.close().then(() => done()),
        })
        peer.message = (bytes, opcode) => {
          assert.equal(opcode, opcodes.binary)
          inside.push(bytes)
        }
        const ended = peer.serve().finally(() => inside.push(null))
        const connection = new SpdyConnection(inside, true)
        void connection.serve().catch(() => undefined)
        for (const requestid of ['1', '2']) {
          await connection.open({ streamtype: 'error', port: String(port), requestid })
          const stream = await connection.open({ streamtype: 'data', port: String(port), requestid })
          const received: Buffer[] = []
          stream.data = (bytes) => void received.push(bytes)
          await stream.write(large)
          await eventually('the echo', async () => Buffer.concat(received).equals(large))
        }
        assert.equal((await state())['forwards'], 2)
        inside.end()
        await within('the end', ended)
        await idle()
      })

    if (!passesV5)
      test('portforward: a tunnel has binary messages only', async () => {
        const { peer } = await dial('portforward', ['SPDY/3.1+portforward.k8s.io'])
        assert.ok(peer)
        const ended = peer.serve()
        await peer.send('text', opcodes.text)
        await within('the end', ended)
        peer.socket.destroy()
        await idle()
      })

    /** Asserts that the daemon's memory has not grown by much after other requests, in which a sender that is not held back fills buffers. */
    async function isHeld(before: number): Promise<void> {
      for (let i = 0; i < 200; i++) await state()
      const grown = residentMiB(daemon.pid) - before
      assert.ok(grown < mostMemory, `${Math.round(grown)} MiB`)
    }

    const flood = `container=lines&${query({ stdin: 'true', stdout: 'true', command: ['head', '-c', String(amount), '/dev/zero'] })}`
    for (const [path, protocol] of [
      [`exec?${flood}`, 'v4.channel.k8s.io'],
      [`exec?${flood}`, 'v5.channel.k8s.io'],
      ['log?container=flood&follow=true', 'binary.k8s.io'],
      ['log?container=flood&follow=true', 'base64.binary.k8s.io'],
    ] as const)
      test(`a client that does not read holds the agent back: ${path.split('?')[0]}, ${protocol}`, async () => {
        const before = residentMiB(daemon.pid)
        const { peer } = await dial(path, [protocol])
        assert.ok(peer)
        let read = () => {}
        const released = new Promise<void>((resolve) => {
          read = resolve
        })
        let bytes = 0
        peer.message = (message) => {
          if (message[0] === stdout) bytes += message.length - 1
          return released
        }
        const ended = peer.serve().catch(() => undefined)
        await isHeld(before)
        if (protocol === 'v5.channel.k8s.io') {
          read()
          await within('the rest', ended)
          assert.equal(bytes, amount)
        } else {
          peer.socket.destroy()
          read()
        }
        await idle()
      })

    for (const protocol of ['v4.channel.k8s.io', 'v5.channel.k8s.io'])
      test(`a command that does not read holds the client back: ${protocol}`, async () => {
        const before = residentMiB(daemon.pid)
        const { path: directory, remove } = temporaryDirectory()
        const over = join(directory, 'over')
        const command = ['sh', '-c', `echo ready; until [ -e '${over}' ]; do sleep 0.1; done`]
        const client = await open(`exec?${query({ container: 'lines', stdin: 'true', stdout: 'true', command })}`, {
          name: protocol,
          isText: false,
        })
        await eventually('the command', async () => String(client.bytesOf(stdout)) === 'ready\n')
        let sent = 0
        const piece = Buffer.alloc(65_536)
        const sending = (async () => {
          for (; sent < amount && !client.peer.socket.destroyed; sent += piece.length) await client.send(stdin, piece)
        })()
        await isHeld(before)
        assert.ok(sent < mostSent, `${sent} bytes have left`)
        // The agent of the tests does not see the end of a connection from which it does not read.
        writeFileSync(over, '')
        client.peer.socket.destroy()
        await sending
        await idle()
        remove()
      })

    for (const protocol of logProtocols)
      test(`log, ${protocol.name || 'no subprotocol'}: whole, and followed until the client leaves`, async () => {
        const read = async (container: string) => {
          const { status, headers, peer } = await dial(`log?container=${container}&follow=true`, offered(protocol))
          assert.deepEqual([status, headers['sec-websocket-protocol'] ?? ''], [101, protocol.name])
          assert.ok(peer)
          const messages: Buffer[] = []
          peer.message = (bytes, opcode) => {
            assert.equal(opcode, protocol.isText ? opcodes.text : opcodes.binary)
            messages.push(protocol.isText ? Buffer.from(String(bytes), 'base64') : bytes)
          }
          return { peer, messages, ended: peer.serve() }
        }
        const whole = await read('lines')
        await within('the end', whole.ended)
        assert.equal(whole.messages[0]?.length, 0, 'an empty message tells that the connection is open')
        assert.equal(String(Buffer.concat(whole.messages)).split('\n').length, 1001)
        assert.equal(whole.peer.closeCode, 1000)
        const followed = await read('quiet')
        await eventually('the log', async () => String(Buffer.concat(followed.messages)) === 'started\n')
        assert.equal((await state())['logs'], 1)
        await followed.peer.close()
        await within('the end', followed.ended)
        await idle()
      })

    test('a log that the agent refuses is an error without a WebSocket', async () => {
      const { status, text } = await dial('log?container=bad', ['binary.k8s.io'])
      assert.equal(status, 400)
      assert.match(text, /ContainerCreating/)
    })
  })
