/** How to connect to another server of the cluster. */
import { type Connect, connectTimeout, type ProxyClientFiles } from '../aggregation/connection.ts'
import type { PeerAddresses } from '../bootstrap/peer-addresses.ts'
import type { Platform } from '../platform.ts'

/** The server has no address: it is gone, or has just started. */
export class NoAddress extends Error {
  override readonly name = 'NoAddress'
}

export interface PeerConnectOptions {
  readonly addresses: Pick<PeerAddresses, 'find'>
  readonly platform: Platform
  /** PEM of the authorities of the servers' certificates. */
  certificateAuthority(): string
  /** PEM of this server's client certificate and its key. */
  credentials(): ProxyClientFiles
}

/** Finds servers by their names. All of them have certificates for the cluster's own service. Rejects with NoAddress, or with a StoreError. */
export function createPeerConnect({ addresses, platform, certificateAuthority, credentials }: PeerConnectOptions): Connect<string> {
  return async (identity) => {
    const address = await addresses.find(identity)
    if (address === undefined) throw new NoAddress(`no address of the API server ${identity}`)
    const { certificate, key } = credentials()
    return {
      origin: new URL(`https://${address}`),
      address,
      options: {
        egress: 'controlplane',
        connectTimeout,
        serverName: `${platform.service}.default.svc`,
        certificateAuthority: certificateAuthority(),
        ...(certificate !== undefined && key !== undefined && { clientCertificate: { certificate, key } }),
      },
    }
  }
}
