/** How node agents are called: certificates from files that may change, and the timeout. */
import { type MaybePromise, then } from '../../common/maybe-promise.ts'
import type { Files, Logger, OutboundOptions } from '../../ports.ts'
import { followPemFiles, withClientCertificate } from './pem-files.ts'

export interface NodeAgentFiles {
  /** CA bundle; absent: certificates of node agents are not verified. */
  readonly certificateAuthority?: string
  readonly clientCertificate?: string
  readonly clientKey?: string
}

export interface NodeAgents {
  /** Options of a call. `unverified`: the agent's certificate is not verified. */
  options(unverified?: boolean): OutboundOptions
  close(): void
}

const contents = { certificateAuthority: 'CERTIFICATE', clientCertificate: 'CERTIFICATE', clientKey: 'PRIVATE KEY' } as const

/** `timeout`: milliseconds to connect. Rejects with an Error that names the file when it can't be read or has no such content. */
export function createNodeAgents(
  paths: NodeAgentFiles,
  timeout: number,
  ports: { readonly files: Files; readonly logger: Logger },
): MaybePromise<NodeAgents> {
  const followed = followPemFiles({ ...ports, paths, contents, what: 'file for calls to node agents' })
  return then(followed, ({ texts, close }) => ({
    options(unverified = false) {
      const { certificateAuthority, clientCertificate: certificate, clientKey: key } = texts
      return {
        egress: 'cluster',
        connectTimeout: timeout,
        ...withClientCertificate({ certificate, key }),
        ...(certificateAuthority === undefined || unverified ? { insecure: true } : { certificateAuthority }),
      }
    },
    close,
  }))
}
