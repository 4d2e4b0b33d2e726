/** People and programs that read: single pods, a namespace, everything. */
import { type Client, protobuf } from './client.ts'
import type { Measures } from './measures.ts'
import { atRate } from './pace.ts'
import { namespaceName, type Plan, placeOf, steadyName } from './plan.ts'

/** Reads of single pods, and lists of a namespace, per second at full size. */
const [gets, lists] = [50, 1]
/** Seconds between lists of everything. */
const listingInterval = 60
/** What kubectl accepts for its tables. */
const tables = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json'

/** All pages of `kubectl get pods -A`. */
async function listAsKubectl(admin: Client): Promise<void> {
  let from = ''
  do {
    const { body } = await admin.need('GET', `/api/v1/pods?limit=500${from && `&continue=${from}`}`, { accept: tables })
    from = /"continue":\s*"([^"]+)"/.exec(body.toString('latin1'))?.[1] ?? ''
  } while (from !== '')
}

/** Reads until the returned function is called. `scale`: share of the full rates. */
export function startReaders(admin: Client, plan: Plan, measures: Measures, scale: number): () => void {
  const measured = (operation: string, work: () => Promise<unknown>) =>
    void measures.of(operation, work()).catch((error: Error) => measures.fail(`${operation}: ${error.message}`))
  const pathOf = (index: number) => {
    const pod = (index * 7919) % plan.pods
    return `/api/v1/namespaces/${placeOf(pod, plan).namespace}/pods/${steadyName(pod)}`
  }
  const everything = () => {
    measured('list all pods as kubectl, in pages', () => listAsKubectl(admin))
    setTimeout(
      () => measured('list all pods as an informer', () => admin.need('GET', '/api/v1/pods?resourceVersion=0', { accept: protobuf })),
      (listingInterval / 2) * 1000,
    ).unref()
  }
  everything()
  const timer = setInterval(everything, listingInterval * 1000)
  const stops = [
    atRate(gets * scale, (index) => measured('get a pod', () => admin.need('GET', pathOf(index)))),
    atRate(lists, (index) =>
      measured('list the pods of a namespace', () =>
        admin.need('GET', `/api/v1/namespaces/${namespaceName(index % plan.namespaces)}/pods`),
      ),
    ),
  ]
  return () => {
    clearInterval(timer)
    for (const stop of stops) stop()
  }
}
