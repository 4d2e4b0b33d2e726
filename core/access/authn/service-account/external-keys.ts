/** Public keys of an external signer, refreshed after its refresh hint and when a token names an unknown key. */
import { uncounted } from '../../../metrics.ts'
import type { Clock, Logger } from '../../../ports.ts'
import { decodeBase64 } from '../../../schema/formats/base64.ts'
import { shortJson } from '../../../schema/go/shorten.ts'
import { messageOf } from '../../../schema/message-of.ts'
import type { Infer } from '../../../schema/model.ts'
import { type KeySource, type VerificationKey, verificationKeyOf } from '../certificate/keys.ts'
import type { Keys } from './external-signer-messages.ts'
import { externalSignerRows, reported, type SignerMetrics } from './signer-metrics.ts'

export interface ExternalKeys extends KeySource {
  /** Whether the key is listed in the JWKS document, so that others can verify its tokens. */
  isPublished(id: string): Promise<boolean>
  close(): void
}

interface Known {
  readonly all: readonly VerificationKey[]
  readonly hidden: ReadonlySet<string>
  /** Milliseconds of the monotonic clock. */
  readonly refreshAt: number
  /** When the signer read the keys, in seconds since the epoch. */
  readonly readAt: number
}

/** Equal for equal keys. */
const identityOf = ({ all }: Known) => JSON.stringify(all.map(({ id, jwk }) => [id, jwk]))

const maxIdLength = 1024
/** Maximum keys, each of which a token without an id is tried with. */
const maxKeys = 1_000
/** Milliseconds between attempts after a failure. */
const retryAfter = 10_000

async function read({ keys = [], dataTimestamp = {}, refreshHintSeconds: hint = 0 }: Infer<typeof Keys>, now: number): Promise<Known> {
  if (hint <= 0) throw new Error(`found invalid refresh hint (${hint}s)`)
  if (keys.length === 0) throw new Error('found no keys')
  if (keys.length > maxKeys) throw new Error(`found more than ${maxKeys} keys`)
  const all = keys.map(({ keyId = '', key = '' }) => {
    if (keyId === '' || keyId.length > maxIdLength) throw new Error(`found invalid public key id ${shortJson(keyId, maxIdLength)}`)
    if (key === '') throw new Error('found empty public key')
    return verificationKeyOf(Uint8Array.from(decodeBase64(key)), keyId)
  })
  const hidden = keys.flatMap(({ keyId = '', excludeFromOidcDiscovery = false }) => (excludeFromOidcDiscovery ? [keyId] : []))
  const { seconds = 0, nanos = 0 } = dataTimestamp
  return { all: await Promise.all(all), hidden: new Set(hidden), refreshAt: now + hint * 1000, readAt: seconds + nanos / 1e9 }
}

/** Rejects with an Error when the first response can't be used. Later failures are logged and the last good keys stay. */
export async function externalKeys(
  fetch: () => Promise<Infer<typeof Keys>>,
  clock: Clock,
  logger: Logger,
  metrics: SignerMetrics = uncounted(externalSignerRows),
): Promise<ExternalKeys> {
  const attempt = () =>
    reported(
      async () => read(await fetch(), clock.monotonic()),
      (code, result) => {
        metrics.fetches.add([code])
        if (result === undefined) return
        metrics.fetchedAt.set([], Math.floor(clock.now() / 1000))
        metrics.dataFrom.set([], result.readAt)
      },
    )
  let known = await attempt()
  let version = 0
  let pending: Promise<boolean> | undefined
  let cancel = () => {}
  let closed = false

  const sync = (): Promise<boolean> => {
    pending ??= attempt()
      .then((next) => {
        if (identityOf(next) !== identityOf(known)) version++
        known = next
        return true
      })
      .catch((error: unknown) => {
        const why = messageOf(error)
        logger.error({ error: why }, 'keys of the external signer not fetched; the last ones stay in use')
        return false
      })
      .finally(() => {
        pending = undefined
      })
    return pending
  }
  const schedule = (milliseconds: number) => {
    cancel = clock.after(milliseconds, () => {
      void sync().then((fetched) => {
        if (!closed) schedule(fetched ? known.refreshAt - clock.monotonic() : retryAfter)
      })
    })
  }
  schedule(known.refreshAt - clock.monotonic())

  const find = (id: string) => known.all.filter((key) => key.id === id)
  const findOrFetch = async (id: string) => {
    await sync()
    return find(id)
  }
  const keysFor = (id: string | undefined) => {
    if (id === undefined) return known.all
    const found = find(id)
    return found.length > 0 ? found : findOrFetch(id)
  }
  return {
    keysFor,
    version: () => version,
    published: () => known.all.filter(({ id }) => !known.hidden.has(id)),
    maxAge: () => Math.max(0, Math.floor((known.refreshAt - clock.monotonic()) / 1000)),
    async isPublished(id) {
      await keysFor(id)
      return !known.hidden.has(id)
    },
    close() {
      closed = true
      cancel()
    },
  }
}
