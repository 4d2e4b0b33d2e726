/** How node agents are called: certificates from files that may change, and the timeout. */

import { followFile, readText } from '../follow-file.ts'
import type { Files, Logger, OutboundOptions } from '../ports.ts'
import { pemBlocks } from '../schema/pem.ts'

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

/** What each file must contain: the end of a PEM label. */
const contents = { certificateAuthority: 'CERTIFICATE', clientCertificate: 'CERTIFICATE', clientKey: 'PRIVATE KEY' } as const

/** `timeout`: milliseconds to connect. Rejects with an Error that names the file when it can't be read or has no such content. */
export async function createNodeAgents(
  paths: NodeAgentFiles,
  timeout: number,
  ports: { readonly files: Files; readonly logger: Logger },
): Promise<NodeAgents> {
  const texts: { -readonly [name in keyof NodeAgentFiles]: string } = {}
  const stops: (() => void)[] = []
  for (const name of ['certificateAuthority', 'clientCertificate', 'clientKey'] as const) {
    const path = paths[name]
    if (path === undefined) continue
    const load = (text: string) => {
      if (!pemBlocks(text).some(({ label }) => label.endsWith(contents[name]))) throw new Error(`${path}: no PEM block ${contents[name]}`)
      return text
    }
    const text = await readText(ports.files, path)
    texts[name] = load(text)
    const use = (changed: string) => {
      texts[name] = changed
    }
    stops.push(followFile({ ...ports, path, what: 'file for calls to node agents', text, load, use }))
  }
  return {
    options(unverified = false) {
      const { certificateAuthority, clientCertificate: certificate, clientKey: key } = texts
      return {
        egress: 'cluster',
        connectTimeout: timeout,
        ...(certificate !== undefined && key !== undefined && { clientCertificate: { certificate, key } }),
        ...(certificateAuthority === undefined || unverified ? { insecure: true } : { certificateAuthority }),
      }
    },
    close: () => stops.forEach((stop) => void stop()),
  }
}
