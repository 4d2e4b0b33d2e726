/** kube-apiserver with etcd, as envtest starts them and as its users reset them: the objects of a test are deleted. */
import { spawnSync } from 'node:child_process'
import { programPath } from '../../cluster/programs.ts'
import { Client, Connections } from '../cluster/client.ts'
import { startServer } from '../cluster/servers.ts'
import { leastOf, type Subject, samples } from './subject.ts'

/** Why it can't be measured here; undefined: it can. */
export function withoutOriginal(): string | undefined {
  if (programPath('kube-apiserver') === undefined) return 'kube-apiserver is neither in KUBERNETES_BIN nor on PATH'
  return spawnSync('etcd', ['--version']).status === 0 ? undefined : 'etcd is not on PATH'
}

/** What envtest passes, besides ports and certificates. */
const flags = ['--allow-privileged=true', '--disable-admission-plugins=ServiceAccount', '--service-cluster-ip-range=10.0.0.0/24']
const etcdFlags = ['--unsafe-no-fsync']

export async function originalSubject(): Promise<Subject> {
  async function started() {
    const began = performance.now()
    const server = await startServer('reference', { flags, etcdFlags })
    return { server, milliseconds: performance.now() - began }
  }
  // Each start is a process of its own, so that the first is as the others.
  const another = await leastOf(async () => {
    const { server, milliseconds } = await started()
    await server.stop()
    return milliseconds
  })
  const { server, milliseconds } = await started()
  const ready = Math.min(another, milliseconds)
  const connections = new Connections(server.url)
  await connections.open()
  const client = new Client(connections, server)
  return {
    name: 'kube-apiserver 1.36 and etcd',
    ready: { first: ready, second: ready },
    create: async (sample, name) => void JSON.parse((await client.need('POST', sample.path, { body: sample.named(name) })).body.toString()),
    get: async (sample, name) => void JSON.parse((await client.need('GET', `${sample.path}/${name}`)).body.toString()),
    async reset() {
      for (const { path } of samples) await client.need('DELETE', path, { body: { gracePeriodSeconds: 0 } })
    },
    async stop() {
      connections.close()
      await server.stop()
    },
  }
}
