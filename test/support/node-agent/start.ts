/** Starts the node agent of the tests, with certificates, and says which flags a server needs to call it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { issue, issueAuthority, newKey } from '../../../runtimes/node/pki/issue.ts'
import type { Api } from '../api.ts'
import { killedAtExit } from '../child.ts'
import { root } from '../root.ts'
import { temporaryDirectory } from '../temporary.ts'
import { eventually } from '../wait.ts'
import type { AgentSettings } from './serve.ts'

export interface NodeAgent {
  readonly address: string
  readonly port: number
  readonly pid: number
  /** Certificate authority and client certificate. */
  readonly flags: readonly string[]
  /** PEM of the authority of the agent's certificate. */
  readonly ca: string
  readonly client: { readonly certificate: string; readonly key: string }
  close(): void
}

/** An address of this host that proxies may call: no loopback, no link-local one. Undefined: the host has none. */
export function ownAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return all.find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))?.address
}

/** `plain`: without TLS, as pods are called. */
export async function startNodeAgent({ address = '127.0.0.1', plain = false, webSocketV5 = false } = {}): Promise<NodeAgent> {
  const authority = issueAuthority('agents-ca', newKey(), Date.now())
  const serving = issue(authority, { commonName: 'node', names: [address, 'node.test'] }, Date.now())
  const client = issue(authority, { commonName: 'apiserver-agent-client', organizations: ['system:masters'] }, Date.now())
  const { path, remove } = temporaryDirectory()
  const file = (name: string, text: string) => {
    writeFileSync(join(path, name), text)
    return join(path, name)
  }
  const settings: AgentSettings = {
    address,
    webSocketV5,
    ...(!plain && { tls: { cert: serving.certPem, key: serving.keyPem, ca: authority.certPem } }),
  }
  const child: ChildProcess = killedAtExit(
    spawn(process.execPath, ['--import', 'tsx', 'test/support/node-agent/serve.ts', JSON.stringify(settings)], {
      cwd: root,
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  )
  let text = ''
  child.stdout?.on('data', (bytes) => (text += bytes))
  await eventually('the port of the node agent', async () => text.includes('\n'))
  return {
    address,
    port: (JSON.parse(text) as { port: number }).port,
    pid: child.pid ?? 0,
    ca: authority.certPem,
    client: { certificate: client.certPem, key: client.keyPem },
    flags: [
      `--nodeagent-certificate-authority=${file('ca.crt', authority.certPem)}`,
      `--nodeagent-client-certificate=${file('client.crt', client.certPem)}`,
      `--nodeagent-client-key=${file('client.key', client.keyPem)}`,
    ],
    close() {
      child.kill('SIGKILL')
      remove()
    },
  }
}

/** Creates the node of an agent, and a pod on it that has these containers. */
export async function registerAgent(
  api: Api,
  { address, port }: Pick<NodeAgent, 'address' | 'port'>,
  { node = 'agent', pod = 'runner', containers = ['main'] }: { node?: string; pod?: string; containers?: readonly string[] } = {},
): Promise<void> {
  await api.create('/api/v1/nodes', {
    metadata: { name: node },
    status: { addresses: [{ type: 'InternalIP', address }], daemonEndpoints: { kubeletEndpoint: { Port: port } } },
  })
  await api.create('/api/v1/namespaces/default/pods', {
    metadata: { name: pod },
    spec: { nodeName: node, containers: containers.map((name) => ({ name, image: 'none' })) },
  })
  await api.patch(`/api/v1/namespaces/default/pods/${pod}/status`, {
    status: { phase: 'Running', podIP: address, podIPs: [{ ip: address }] },
  })
}
