/**
 * Requests that go on to node agents. Hollow nodes have the kubelet's own endpoints, but no certificate and no containers: their read-only port is
 * asked by HTTP, and calls that need HTTPS show how a failed one is reported.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { killedAtExit } from '../../support/child.ts'
import { freePort } from '../../support/free-port.ts'
import { type KubectlBinary, kubectls } from '../../support/kubectl.ts'
import { within } from '../../support/wait.ts'
import { isReady, type Scenario, type Space } from '../scenario.ts'

const pod = (name: string) => ({
  metadata: { name },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'example/main:1' }] },
})

async function startPod({ api, path, until }: Space, name: string): Promise<string> {
  await until(path('v1', 'serviceaccounts', 'default'), 'it exists', () => true)
  await api.create(path('v1', 'pods'), pod(name))
  const { spec } = await until(path('v1', 'pods', name), 'it is ready', isReady)
  return String(spec?.['nodeName'])
}

/** Names and numbers that differ between two clusters. */
const settled = (text: string, node: string) =>
  text
    .replaceAll(node, 'NODE')
    .replace(/\d{1,3}(\.\d{1,3}){3}(:\d+)?/g, 'ADDRESS')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replace(/\b\d{4,5}\b/g, 'PORT')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z?|[EIW]\d{4} [\d:.]+/g, 'TIME')

const proxies: Scenario = {
  name: 'a node agent is reached through nodes/proxy',
  async run(space) {
    const { api, namespace } = space
    const node = await startPod(space, 'proxied')
    const open = `http:${node}:${space.cluster.readOnlyPorts.get(node)}`
    const ask = async (path: string, method = 'GET') => {
      const response = await api.fetch(`/api/v1/nodes/${path}`, { method })
      const text = await response.text()
      return [path.replaceAll(node, 'NODE'), method, response.status, response.headers.get('content-type'), text] as const
    }
    const listed = JSON.parse((await ask(`${open}/proxy/pods`))[4]) as {
      kind: string
      items?: { metadata: { namespace: string; name: string } }[]
    }
    const answers = [
      await ask(`${node}/proxy/healthz`),
      await ask(`${open}/proxy/healthz`),
      await ask(`${open}/proxy/healthz/ping`),
      await ask(`${open}/proxy/nothing`),
      await ask(`${open}/proxy/healthz`, 'POST'),
      await ask(`${open}/proxy/healthz`, 'HEAD'),
      await ask(`${open}/proxy`),
      await ask(`${open}/proxy/stats`),
      await ask(`${open}/proxy/exec/${namespace}/proxied/main?command=true`, 'POST'),
      await ask(`https:${open.slice(5)}/proxy/healthz`),
      await ask(`${node}:1/proxy/healthz`),
      await ask(`no-such-node/proxy/healthz`),
    ]
    const [, , status, type, metrics] = await ask(`${open}/proxy/metrics`)
    return {
      answers: answers.map((each) => each.map((part) => settled(String(part), node).trimEnd())),
      pods: [listed.kind, listed.items?.some(({ metadata }) => metadata.namespace === namespace && metadata.name === 'proxied')],
      metrics: [status, type, /^kubelet_running_pods /m.test(metrics)],
    }
  },
}

const logs: Scenario = {
  name: 'logs of a pod are asked for at its node agent',
  async run(space) {
    const { api, path } = space
    const node = await startPod(space, 'logged')
    const answers = []
    for (const query of [
      '',
      'container=main&tailLines=1',
      'container=none',
      'previous=true',
      'follow=true&limitBytes=5',
      'tailLines=-1',
      'sinceSeconds=0',
      'stream=Stdout',
      'stream=Stdout&tailLines=1',
    ]) {
      const response = await api.fetch(`${path('v1', 'pods', 'logged', 'log')}?${query}`)
      answers.push([query, response.status, response.headers.get('content-type'), settled(await response.text(), node).trimEnd()])
    }
    return answers
  },
}

/** How a kubectl asks for streams. */
interface Way {
  readonly binary: KubectlBinary
  readonly webSockets: boolean
}

const ways = (): readonly Way[] =>
  kubectls().flatMap((binary) => [{ binary, webSockets: false }, ...(binary.minor >= 30 ? [{ binary, webSockets: true }] : [])])

const streams: Scenario = {
  name: 'commands and port-forwards reach a node agent',
  async run(space) {
    const node = await startPod(space, 'runner')
    const outcomes = []
    for (const { binary, webSockets } of ways()) {
      const env = {
        ...{ KUBECONFIG: space.cluster.kubeconfig, PATH: process.env['PATH'], HOME: '/nonexistent' },
        ...{ KUBECTL_REMOTE_COMMAND_WEBSOCKETS: String(webSockets), KUBECTL_PORT_FORWARD_WEBSOCKETS: String(webSockets) },
      }
      const run = async (...args: readonly string[]) => {
        const child = killedAtExit(spawn(binary.path, ['-n', space.namespace, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] }))
        let output = ''
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += bytes))
        const [code] = await within(`kubectl ${args.join(' ')}`, once(child, 'close'))
        return [settled(args.join(' '), node), code, settled(output, node)]
      }
      outcomes.push([
        webSockets,
        await run('exec', 'runner', '--', 'true'),
        await run('exec', '-i', 'runner', '--', 'cat'),
        await run('exec', 'runner', '-c', 'none', '--', 'true'),
        await run('attach', 'runner'),
        await run('port-forward', 'pod/runner', `${await freePort()}:80`),
      ])
    }
    return outcomes
  },
}

export const agents: readonly Scenario[] = [proxies, logs, streams]
