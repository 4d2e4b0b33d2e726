/** Whoever this server asks, in gRPC, and what they should not answer: parties × tricks. Each call ends, with a short error, and holds up nobody. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { connectExternalSigner } from '../../../../core/access/authn/service-account/external-signer.ts'
import { envelopeV1 } from '../../../../core/encryption/kms/envelope-v1.ts'
import { envelopeV2 } from '../../../../core/encryption/kms/envelope-v2.ts'
import { probe, watchfulProbe } from '../../../../core/encryption/kms/probe.ts'
import { probeV1 } from '../../../../core/encryption/kms/probe-v1.ts'
import { serviceV1 } from '../../../../core/encryption/kms/service-v1.ts'
import { serviceV2 } from '../../../../core/encryption/kms/service-v2.ts'
import { rotatingKey } from '../../../../core/encryption/kms/write-key.ts'
import { CallError, type Logger, type Outbound } from '../../../../core/ports.ts'
import { webClock as clock } from '../../../../runtimes/web/ports.ts'
import { longestPause } from '../../../support/pauses.ts'
import { trials } from '../../../support/soak.ts'

/** Bytes of a message: in soak runs as many as gRPC's libraries take by default. */
const limit = trials(1, 4) * 1024 * 1024

/** Characters of what is logged. */
let logged = 0
const log = (fields: object) => {
  logged = Math.max(logged, JSON.stringify(fields).length)
}
const logger: Logger = { debug: log, info: log, warn: log, error: log }

type Fields = readonly (readonly [number: number, value: string | number | Uint8Array])[]
const message = (fields: Fields): Uint8Array => {
  const writer = new BinaryWriter()
  for (const [number, value] of fields) {
    if (typeof value === 'number') writer.tag(number, 0).int64(value)
    else if (typeof value === 'string') writer.tag(number, 2).string(value)
    else writer.tag(number, 2).bytes(value)
  }
  return writer.finish()
}

type Calls = Pick<Outbound, 'call'>
const kms = { name: 'p', endpoint: 'unix:///p.sock', timeout: 3_000 }
const path = new TextEncoder().encode('/a')
const value = new TextEncoder().encode('value')
const spki = async () => {
  const { publicKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  return new Uint8Array(await crypto.subtle.exportKey('spki', publicKey))
}
const publicKey = await spki()

/** What a good server answers, by method; and the method that the tricks answer. */
const parties: {
  readonly [name: string]: {
    readonly good: { readonly [method: string]: Uint8Array }
    readonly trick: string
    ask(outbound: Calls): Promise<unknown>
  }
} = {
  'KMS 1, version': { good: {}, trick: 'Version', ask: (outbound) => probeV1(serviceV1(outbound, kms), 'p')() },
  'KMS 1, encryption': {
    good: { Version: message([[1, 'v1beta1']]) },
    trick: 'Encrypt',
    ask: (outbound) => envelopeV1(serviceV1(outbound, kms), 10).toStored(value, path),
  },
  'KMS 1, decryption': {
    good: { Version: message([[1, 'v1beta1']]) },
    trick: 'Decrypt',
    ask: (outbound) => envelopeV1(serviceV1(outbound, kms), 10).fromStored(Uint8Array.of(0, 1, 2, 3, 4), path),
  },
  'KMS 2, status': {
    good: {},
    trick: 'Status',
    async ask(outbound) {
      const { check } = rotatingKey(serviceV2(outbound, kms), 'p', clock)
      const watched = await watchfulProbe('p', probe(check, clock, 3_000), clock, logger)
      watched.close()
      await check()
    },
  },
  'KMS 2, encryption': {
    good: {
      Status: message([
        [1, 'v2'],
        [2, 'ok'],
        [3, 'k'],
      ]),
    },
    trick: 'Encrypt',
    ask: (outbound) => rotatingKey(serviceV2(outbound, kms), 'p', clock).check(),
  },
  'KMS 2, decryption': {
    good: {
      Status: message([
        [1, 'v2'],
        [2, 'ok'],
        [3, 'k'],
      ]),
      Encrypt: message([
        [1, 'cipher'],
        [2, 'k'],
      ]),
    },
    trick: 'Decrypt',
    async ask(outbound) {
      const service = serviceV2(outbound, kms)
      const key = rotatingKey(service, 'p', clock)
      await key.check()
      await envelopeV2(service, key).fromStored(
        message([
          [1, 'data'],
          [2, 'k'],
          [3, 'other'],
          [5, 1],
        ]),
        path,
      )
    },
  },
  'signer, metadata': {
    good: {},
    trick: 'Metadata',
    ask: (outbound) => connectExternalSigner({ unixSocket: '/s', outbound, clock, logger }),
  },
  'signer, keys': {
    good: { Metadata: message([[1, 3600]]) },
    trick: 'FetchKeys',
    async ask(outbound) {
      const signer = await connectExternalSigner({ unixSocket: '/s', outbound, clock, logger })
      await signer.keys.keysFor('other')
      signer.close()
    },
  },
  'signer, signature': {
    good: {
      Metadata: message([[1, 3600]]),
      FetchKeys: message([
        [
          1,
          message([
            [1, 'k'],
            [2, publicKey],
          ]),
        ],
        [3, 3600],
      ]),
    },
    trick: 'Sign',
    async ask(outbound) {
      const signer = await connectExternalSigner({ unixSocket: '/s', outbound, clock, logger })
      try {
        await signer.sign({ sub: 'a' } as never)
      } finally {
        signer.close()
      }
    },
  },
}

/** So many bytes of one record after the other. */
function repeated(record: (index: number) => Uint8Array, last: Uint8Array = new Uint8Array()): Uint8Array {
  const all = new Uint8Array(limit)
  let at = 0
  for (let index = 0; ; index++) {
    const bytes = record(index)
    if (at + bytes.length + last.length > limit) break
    all.set(bytes, at)
    at += bytes.length
  }
  all.set(last, at)
  return all.subarray(0, at + last.length)
}
const base64url = (text: string) => Buffer.from(text).toString('base64url')
const numbers = [1, 2, 3, 4, 9]
const ofFields = (name: string, of: (number: number) => Uint8Array) =>
  Object.fromEntries(numbers.map((number) => [`${name} in field ${number}`, () => of(number)]))

const bodies: { readonly [name: string]: () => Uint8Array } = {
  empty: () => new Uint8Array(),
  zeros: () => new Uint8Array(limit),
  'endless varint': () => new Uint8Array(limit).fill(0xff),
  'nested groups': () => new Uint8Array(limit).fill(0x0b),
  'unknown groups': () => new Uint8Array(limit).fill(0x5b),
  'unknown varints': () => repeated(() => Uint8Array.of(0x78, 0)),
  ...ofFields('text', (number) => message([[number, 'x'.repeat(limit - 10)]])),
  ...ofFields('no UTF-8', (number) => message([[number, new Uint8Array(limit - 10).fill(0xc3)]])),
  ...ofFields('empty records', (number) => repeated(() => message([[number, '']]))),
  ...ofFields('entries', (number) => repeated((index) => message([[number, message([[1, index.toString(36)]])]]))),
  ...ofFields('domains', (number) =>
    repeated(
      (index) => message([[number, message([[1, `a.${index.toString(36)}`]])]]),
      message([
        [1, 'cipher'],
        [2, 'k'],
      ]),
    ),
  ),
  ...ofFields('varints', (number) => repeated(() => message([[number, 1]]))),
  ...ofFields('great number', (number) => message([[number, Number.MAX_SAFE_INTEGER]])),
  ...ofFields('negative number', (number) => message([[number, -1]])),
  ...ofFields('greatest number', (number) => Uint8Array.of(number * 8, ...Array(8).fill(0xff), 0x7f)),
  'too long cipher': () =>
    message([
      [1, new Uint8Array(limit - 20)],
      [2, 'k'],
    ]),
  'other key id': () =>
    message([
      [1, 'cipher'],
      [2, 'x'.repeat(limit - 20)],
    ]),
  'good status of another version': () =>
    message([
      [1, 'x'.repeat(limit - 30)],
      [2, 'ok'],
      [3, 'k'],
    ]),
  'good status that is unhealthy': () =>
    message([
      [1, 'v2'],
      [2, 'x'.repeat(limit - 30)],
      [3, 'k'],
    ]),
  keys: () =>
    repeated(
      (index) =>
        message([
          [
            1,
            message([
              [1, `k${index}`],
              [2, publicKey],
            ]),
          ],
        ]),
      message([[3, 3600]]),
    ),
  'keys of one name': () =>
    repeated(
      () =>
        message([
          [
            1,
            message([
              [1, 'k'],
              [2, publicKey],
            ]),
          ],
        ]),
      message([[3, 3600]]),
    ),
  'long name of a key': () =>
    message([
      [
        1,
        message([
          [1, 'x'.repeat(limit - 30)],
          [2, publicKey],
        ]),
      ],
      [3, 3600],
    ]),
  'long key': () =>
    message([
      [
        1,
        message([
          [1, 'k'],
          [2, new Uint8Array(limit - 30)],
        ]),
      ],
      [3, 3600],
    ]),
  'brackets as header': () =>
    message([
      [1, base64url('['.repeat(limit / 2))],
      [2, 'AAAA'],
    ]),
  'braces as header': () =>
    message([
      [1, base64url('{"a":'.repeat(limit / 8))],
      [2, 'AAAA'],
    ]),
  'members of a header': () =>
    message([
      [1, base64url(`{${Array.from({ length: limit / 16 }, (_, at) => `"k${at}":0`).join()}}`)],
      [2, 'AAAA'],
    ]),
  'long signature': () =>
    message([
      [1, base64url('{"alg":"ES256","kid":"k","typ":"JWT"}')],
      [2, 'A'.repeat(limit - 100)],
    ]),
}

const errors: { readonly [name: string]: () => Error } = {
  'long text': () => new CallError(2, 'x'.repeat(limit)),
  'no status': () => new CallError(99, ''),
}

/** They are made before: the test must not hold the thread itself. */
const answers = Object.entries({ ...bodies, ...errors }).map(([what, of]) => [what, of()] as const)

for (const [name, { good, trick, ask }] of Object.entries(parties))
  test(`${name}: ${answers.length} answers`, async () => {
    /** What is wrong with the texts after an answer. */
    async function after(answer: Uint8Array | Error): Promise<string | undefined> {
      logged = 0
      let error = ''
      try {
        await ask({
          async call({ method }) {
            const own = method.slice(method.lastIndexOf('/') + 1)
            const found = own === trick ? answer : good[own]
            if (found instanceof Uint8Array) return found
            throw found ?? new CallError(12, 'unknown method')
          },
        })
      } catch (thrown) {
        error = (thrown as Error).message
      }
      return error.length > 4_096 || logged > 16_384 ? `an error of ${error.length} characters, ${logged} in the log` : undefined
    }
    const found: string[] = []
    const pause = await longestPause(async () => {
      for (const [what, answer] of answers) {
        const problem = await after(answer)
        if (problem !== undefined) found.push(`${what}: ${problem}`)
      }
    })
    if (pause > 250)
      for (const [what, answer] of answers) {
        const own = await longestPause(() => after(answer))
        if (own > 250) found.push(`${what} held the thread for ${Math.round(own)} ms`)
      }
    assert.deepEqual(found, [])
  })
