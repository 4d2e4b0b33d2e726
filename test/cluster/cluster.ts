/** A cluster of Kubernetes' own components around an API server: this one, or the reference with the same flags. */
import { freePort } from '../support/free-port.ts'
import type { Program } from './programs.ts'
import { type Server, type ServerName, startServer } from './server.ts'

export interface Cluster extends Pick<Server, 'api' | 'kubeconfig' | 'as' | 'close'> {
  /** Starts a hollow node: a kubelet without containers. */
  startNode(name: string): Promise<Program>
  /** The ports of the nodes at which anyone may read. */
  readonly readOnlyPorts: ReadonlyMap<string, number>
}

/** Shorter than the defaults, so that a lost node is noticed within seconds. */
const monitoring = ['--node-monitor-period=1s', '--node-monitor-grace-period=10s']

export async function startCluster(name: ServerName): Promise<Cluster> {
  const server = await startServer(name)
  const { api, kubeconfig, ca, caKey, tokenKey, as, close } = server
  try {
    await server.startComponent('kube-controller-manager', 'controller-manager', [
      '--leader-elect=false',
      '--use-service-account-credentials',
      `--root-ca-file=${ca}`,
      `--service-account-private-key-file=${tokenKey}`,
      `--cluster-signing-cert-file=${ca}`,
      `--cluster-signing-key-file=${caKey}`,
      '--horizontal-pod-autoscaler-sync-period=2s',
      ...monitoring,
    ])
    await server.startComponent('kube-scheduler', 'scheduler', ['--leader-elect=false'])
  } catch (error) {
    await close()
    throw error
  }
  const readOnlyPorts = new Map<string, number>()
  return {
    ...{ api, kubeconfig, as, close, readOnlyPorts },
    async startNode(node) {
      const port = await freePort()
      const readOnlyPort = await freePort()
      readOnlyPorts.set(node, readOnlyPort)
      return server.start('kubemark', node, [
        '--morph=kubelet',
        `--name=${node}`,
        `--kubeconfig=${kubeconfig}`,
        '--use-host-image-service=false',
        `--kubelet-port=${port}`,
        `--kubelet-read-only-port=${readOnlyPort}`,
        `--cert-dir=${server.path(`${node}-certificates`)}`,
      ])
    },
  }
}
