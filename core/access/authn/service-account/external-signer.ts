/** Has service account tokens signed by another process (`--service-account-signing-endpoint`, KEP-740). */
import * as z from 'zod/mini'
import { uncounted } from '../../../metrics.ts'
import type { Clock, Logger, Outbound } from '../../../ports.ts'
import type { Infer, Json, Message } from '../../../schema/model.ts'
import { decodeProtobuf } from '../../../schema/protobuf/decode.ts'
import { encodeProtobuf } from '../../../schema/protobuf/encode.ts'
import { base64url, type KeySource } from '../certificate/keys.ts'
import { type ExternalKeys, externalKeys } from './external-keys.ts'
import { Keys, Metadata, Nothing, SignRequest, SignResponse } from './external-signer-messages.ts'
import type { TokenSigner } from './issuer.ts'
import { externalSignerRows, reported, type SignerMetrics } from './signer-metrics.ts'

export interface ExternalSigner {
  readonly sign: TokenSigner
  readonly keys: KeySource
  /** Maximum lifetime of a token, in seconds. */
  readonly maxSeconds: number
  close(): void
}

export interface SignerOptions {
  /** Path of the signer's Unix socket. */
  readonly unixSocket: string
  readonly outbound: Pick<Outbound, 'call'>
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics?: SignerMetrics
}

const timeout = 30_000
/** Milliseconds to wait for the signer, which may start after this server. */
const metadataTimeout = 60_000
const minSeconds = 600

const headerSchema = z.strictObject({
  typ: z.literal('JWT'),
  kid: z.string().check(z.minLength(1), z.maxLength(1024)),
  alg: z.enum(['RS256', 'ES256', 'ES384', 'ES512']),
})

const base64urlPattern = /^[\w-]+$/
/** Maximum characters of a header, whose key id has up to 1,024, and of a signature; one by an RSA key of 16,384 bits has 2,731. */
const maxPart = 16_384
/** Maximum objects of an answer, more than its keys may be. */
const bounds = { maxParts: 10_000 }

function readHeader(text: string): z.output<typeof headerSchema> {
  const decoded: unknown = JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')))
  return headerSchema.parse(decoded)
}

/** Validates the header and signature returned by the signer, and returns them as sent. */
async function checked({ header = '', signature = '' }: Infer<typeof SignResponse>, keys: ExternalKeys) {
  const kid = (() => {
    try {
      if (header.length > maxPart) throw new Error('the header is too long')
      return readHeader(header).kid
    } catch {
      throw new Error('external signer: bad header: it needs exactly alg, kid and typ, as this server supports them')
    }
  })()
  if (signature.length > maxPart || !base64urlPattern.test(signature)) throw new Error('external signer: empty or malformed signature')
  if (!(await keys.isPublished(kid))) {
    throw new Error(`external signer: key used for signing JWT (kid: ${kid}) is excluded from OIDC discovery docs`)
  }
  return { header, signature }
}

/** Rejects with an Error when the signer is not reachable within a minute, or its configuration can't be used. */
export async function connectExternalSigner(options: SignerOptions): Promise<ExternalSigner> {
  const { unixSocket, outbound, clock, logger, metrics = uncounted(externalSignerRows) } = options
  async function call<R extends Message>(
    method: string,
    request: Message,
    content: Json,
    response: R,
    milliseconds = timeout,
  ): Promise<Infer<R>> {
    const message = encodeProtobuf(request, content)
    const fullName = `/v1.ExternalJWTSigner/${method}`
    const began = clock.monotonic()
    const answer = await reported(
      () => outbound.call({ unixSocket, method: fullName, message, timeout: milliseconds }),
      (code) => metrics.calls.observe([fullName, code], (clock.monotonic() - began) / 1000),
    )
    return decodeProtobuf(response, answer, { bounds }) as Infer<R>
  }
  const { maxTokenExpirationSeconds: maxSeconds = 0 } = await call('Metadata', Nothing, {}, Metadata, metadataTimeout)
  if (maxSeconds < minSeconds) {
    throw new Error(`the external signer supports tokens of ${maxSeconds} seconds only, less than ${minSeconds}`)
  }
  const keys = await externalKeys(() => call('FetchKeys', Nothing, {}, Keys), clock, logger, metrics)
  return {
    keys,
    maxSeconds,
    close: () => keys.close(),
    async sign(claims) {
      const payload = base64url(new TextEncoder().encode(JSON.stringify(claims)))
      const ask = async () => checked(await call('Sign', SignRequest, { claims: payload }, SignResponse), keys)
      const { header, signature } = await reported(ask, (code) => metrics.signed.add([code]))
      return `${header}.${payload}.${signature}`
    },
  }
}
