/** How to connect to another server of the cluster. */
import type { PeerAddresses } from '../controllers/bootstrap/peer-addresses.ts'
import { type Connect, connectTimeout } from '../outgoing/forwarding/destination.ts'
import { type ClientCertificate, withClientCertificate } from '../outgoing/forwarding/pem-files.ts'
import { NoAddress } from '../outgoing/service-address.ts'
import type { Platform } from '../platform.ts'

export interface PeerConnectOptions {
  readonly addresses: Pick<PeerAddresses, 'find'>
  readonly platform: Platform
  /** PEM of the authorities of the servers' certificates. */
  certificateAuthority(): string
  /** PEM of this server's client certificate and its key. */
  credentials(): ClientCertificate
}

/** Finds servers by their names. All of them have certificates for the cluster's own service. Rejects with NoAddress, or with a StoreError. */
export function createPeerConnect({ addresses, platform, certificateAuthority, credentials }: PeerConnectOptions): Connect<string> {
  return async (identity) => {
    const address = await addresses.find(identity)
    if (address === undefined) throw new NoAddress(`no address of the API server ${identity}`)
    return {
      origin: new URL(`https://${address}`),
      options: {
        egress: 'controlplane',
        connectTimeout,
        serverName: `${platform.service}.default.svc`,
        certificateAuthority: certificateAuthority(),
        ...withClientCertificate(credentials()),
      },
    }
  }
}
