/** Creates everything that the cluster has before the load begins. */
import type { Client } from './client.ts'
import * as objects from './objects.ts'
import { inParallel } from './pace.ts'
import { namespaceName, nodeName, type Plan, placeOf, steadyName } from './plan.ts'

/** Requests in flight. */
const width = 96
/** Objects after which the progress is told. */
const stepsToTell = 10_000
/** The reference creates this namespace seconds after its start. */
const leaseNamespace = 'kube-node-lease'
const exists = [409]
export const strategic = 'application/strategic-merge-patch+json'

/** A step: what it creates, how many, and how. */
interface Step {
  readonly what: string
  readonly count: number
  make(index: number): Promise<unknown>
}

export async function populate(admin: Client, plan: Plan, log: (text: string) => void): Promise<void> {
  const create = (path: string, body: object) => admin.need('POST', path, { body }, exists)
  const inNamespace = (index: number) => `/api/v1/namespaces/${namespaceName(index)}`
  const metadata = (name: string) => ({ metadata: { name } })
  const steps: readonly Step[] = [
    {
      what: 'namespaces with a service account, config maps and a secret',
      count: plan.namespaces,
      async make(index) {
        await create('/api/v1/namespaces', metadata(namespaceName(index)))
        // A server without a controller manager has neither.
        await create(`${inNamespace(index)}/serviceaccounts`, metadata('default'))
        await create(`${inNamespace(index)}/configmaps`, objects.content('ConfigMap', objects.rootCertificates))
        await create(`${inNamespace(index)}/configmaps`, objects.content('ConfigMap', objects.appName))
        await create(`${inNamespace(index)}/secrets`, objects.content('Secret', objects.appName))
      },
    },
    {
      what: 'nodes',
      count: plan.nodes,
      async make(index) {
        await create('/api/v1/nodes', objects.node(index))
        const body = { status: objects.nodeStatus(index, new Date()) }
        await admin.need('PATCH', `/api/v1/nodes/${nodeName(index)}/status`, { type: strategic, body })
      },
    },
    {
      what: 'services with endpoint slices',
      count: plan.services,
      async make(index) {
        const namespace = namespaceName(index % plan.namespaces)
        const name = `service-${index}`
        await create(`/api/v1/namespaces/${namespace}/services`, objects.service(name, namespace, index % 10))
        const slices = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`
        await create(slices, objects.endpointSlice(name, namespace, index * 100))
      },
    },
    {
      what: 'running pods',
      count: plan.pods,
      async make(index) {
        const { node, namespace } = placeOf(index, plan)
        const name = steadyName(index)
        const path = `/api/v1/namespaces/${namespace}/pods`
        await create(path, objects.pod(name, namespace, index % 10, nodeName(node)))
        await admin.need('PATCH', `${path}/${name}/status`, { type: strategic, body: objects.running(index) })
      },
    },
  ]
  await create('/api/v1/namespaces', metadata(leaseNamespace))
  for (const { what, count, make } of steps) {
    const began = performance.now()
    const tell = (done: number) => log(`${done} ${what} in ${((performance.now() - began) / 1000).toFixed(1)} s`)
    await inParallel(count, width, (index) => {
      if (index > 0 && index % stepsToTell === 0) tell(index)
      return make(index)
    })
    tell(count)
  }
}
