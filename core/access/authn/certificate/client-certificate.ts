/** Verifies the client certificate of a connection, and caches the result with the connection. */
import type { Clock, Connection } from '../../../ports.ts'
import { messageOf } from '../../../schema/message-of.ts'
import { AuthenticationError } from '../authenticator.ts'
import type { Authorities, Bundle } from './authorities.ts'
import { type Certificate, parseCertificate } from './certificate.ts'
import { verifyChain } from './certificate-chain.ts'

/** Time-to-live in milliseconds of a failure, so that a client can't trigger signature checks with every request. */
const failureTtl = 10_000

type Outcome<T> = { readonly value: T } | { readonly error: AuthenticationError }
type Known<T> = Outcome<T> & {
  readonly until: number
  /** End of the leaf's validity in milliseconds since the epoch; absent when it can't be read. */
  readonly notAfter: number | undefined
}

/** Called for each request with a client certificate with the milliseconds until it expires; negative when it has expired. */
export type CertificateObserver = (milliseconds: number) => void

/**
 * Authenticates by the certificate of a connection, if it chains to the authorities; undefined without a certificate. `derive` maps
 * the certificate to the result, or throws. The result is cached with the connection while the chain is valid and the authorities don't
 * change. `observer` is called for each request. Throws an AuthenticationError, or rejects with one.
 */
export function clientCertificate<T extends object>(
  authorities: Authorities,
  clock: Clock,
  derive: (leaf: Certificate) => T | Promise<T>,
  observer: CertificateObserver = () => undefined,
): (connection: Connection) => undefined | T | Promise<T> {
  let bundle: Bundle | undefined
  let known = new WeakMap<readonly Uint8Array[], Known<T> | Promise<Known<T>>>()

  const verify = async (peer: readonly Uint8Array[], { certificates }: Bundle): Promise<Known<T>> => {
    const now = clock.now()
    let notAfter: number | undefined
    try {
      const [leaf, ...intermediates] = peer.map(parseCertificate)
      if (leaf === undefined) throw new Error('no certificate')
      notAfter = leaf.notAfter
      const chain = await verifyChain(leaf, intermediates, certificates, now)
      if (!chain.ok) throw new Error(chain.problem)
      return { value: await derive(leaf), until: chain.until, notAfter }
    } catch (error) {
      const problem = messageOf(error)
      return { error: new AuthenticationError(`client certificate: ${problem}`), until: clock.monotonic() + failureTtl, notAfter }
    }
  }

  const settle = (outcome: Known<T>): T => {
    if (outcome.notAfter !== undefined) observer(outcome.notAfter - clock.now())
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }

  const start = (peer: readonly Uint8Array[], current: Bundle): Promise<T> => {
    const table = known
    const outcome = verify(peer, current).then((late) => {
      table.set(peer, late)
      return late
    })
    table.set(peer, outcome)
    return outcome.then(settle)
  }

  // A chain is valid until a date; a failure is kept for a time.
  const isOver = (outcome: Known<T>) => ('error' in outcome ? clock.monotonic() : clock.now()) > outcome.until

  return ({ tls }) => {
    const peer = tls?.peerCertificates
    if (peer === undefined || peer.length === 0) return undefined
    const current = authorities.current()
    if (current !== bundle) {
      bundle = current
      known = new WeakMap()
    }
    const outcome = known.get(peer)
    if (outcome instanceof Promise) return outcome.then(settle)
    return outcome === undefined || isOver(outcome) ? start(peer, current) : settle(outcome)
  }
}
