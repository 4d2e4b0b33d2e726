/** An external signer on the unix socket argv[2]; signs with the newest key. Lines on standard input change it. Prints `ready`. */
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import { Server, ServerCredentials } from '@grpc/grpc-js'

const [, , socket = '', maxSeconds = '7200'] = process.argv

interface Key {
  readonly id: string
  readonly privateKey: KeyObject
  readonly spki: Uint8Array
  hidden: boolean
}

const keys: Key[] = []
let header: { [name: string]: unknown } = {}
let fetches = 0

function addKey(): void {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  keys.push({ id: `key-${keys.length}`, privateKey, spki: publicKey.export({ type: 'spki', format: 'der' }), hidden: false })
}
addKey()

const newest = () => keys.at(-1) as Key
const base64url = (value: string | Buffer) => Buffer.from(value).toString('base64url')

function sign(request: Uint8Array): Uint8Array {
  const reader = new BinaryReader(request)
  reader.tag()
  const claims = reader.string()
  const { id, privateKey } = newest()
  const head = base64url(JSON.stringify({ alg: 'ES256', kid: id, typ: 'JWT', ...header }))
  const signature = createSign('sha256').update(`${head}.${claims}`).sign({ key: privateKey, dsaEncoding: 'ieee-p1363' })
  return new BinaryWriter().tag(1, 2).string(head).tag(2, 2).string(base64url(signature)).finish()
}

function fetchKeys(): Uint8Array {
  fetches++
  const writer = new BinaryWriter()
  for (const { id, spki, hidden } of keys) {
    writer.tag(1, 2).fork().tag(1, 2).string(id).tag(2, 2).bytes(spki).tag(3, 0).bool(hidden).join()
  }
  return writer
    .tag(2, 2)
    .fork()
    .tag(1, 0)
    .int64(Math.floor(Date.now() / 1000))
    .join()
    .tag(3, 0)
    .int64(3600)
    .finish()
}

const raw = {
  requestSerialize: Buffer.from,
  requestDeserialize: Buffer.from,
  responseSerialize: Buffer.from,
  responseDeserialize: Buffer.from,
}
const unary = (name: string) => ({ path: `/v1.ExternalJWTSigner/${name}`, requestStream: false, responseStream: false, ...raw }) as const
type Reply = (error: null, value: Uint8Array) => void
const answering = (make: (request: Uint8Array) => Uint8Array) => (call: { request: Buffer }, reply: Reply) =>
  reply(null, make(call.request))

const server = new Server()
server.addService(
  { Sign: unary('Sign'), FetchKeys: unary('FetchKeys'), Metadata: unary('Metadata') },
  {
    Sign: answering(sign),
    FetchKeys: answering(fetchKeys),
    Metadata: answering(() => new BinaryWriter().tag(1, 0).int64(Number(maxSeconds)).finish()),
  },
)

const commands: { readonly [word: string]: (argument: string) => void } = {
  rotate: addKey,
  hide: () => {
    newest().hidden = true
  },
  header: (argument) => {
    header = JSON.parse(argument)
  },
  fetches: () => {},
}
createInterface(process.stdin).on('line', (line) => {
  const [word = '', ...rest] = line.split(' ')
  commands[word]?.(rest.join(' '))
  process.stdout.write(`done ${fetches}\n`)
})
// Left behind by a killed predecessor.
rmSync(socket, { force: true })
server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error
  process.stdout.write('ready\n')
})
