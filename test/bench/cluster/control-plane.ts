/** The watches that a scheduler and a controller manager hold. */
import { type Client, type OnEvent, protobuf } from './client.ts'
import type { Measures } from './measures.ts'

interface Resource {
  readonly name: string
  readonly verbs: readonly string[]
}

/** What a scheduler follows besides pods. */
const scheduled = [
  ...['nodes', 'namespaces', 'services', 'replicationcontrollers', 'persistentvolumes', 'persistentvolumeclaims'].map(
    (name) => `/api/v1/${name}`,
  ),
  ...['replicasets', 'statefulsets'].map((name) => `/apis/apps/v1/${name}`),
  '/apis/policy/v1/poddisruptionbudgets',
  ...['storageclasses', 'csinodes', 'csidrivers', 'csistoragecapacities'].map((name) => `/apis/storage.k8s.io/v1/${name}`),
  ...['resourceclaims', 'resourceslices', 'deviceclasses'].map((name) => `/apis/resource.k8s.io/v1/${name}`),
]
const unfinished = '?fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed&'
const metadataOnly = `${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1;stream=watch`

/** Collections of the preferred versions that can be watched. */
async function watchable(admin: Client): Promise<string[]> {
  const read = async (path: string) => JSON.parse((await admin.need('GET', path)).body.toString()) as unknown
  const { groups } = (await read('/apis')) as { groups: { preferredVersion: { groupVersion: string } }[] }
  const roots = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)]
  const lists = await Promise.all(roots.map(async (root) => ({ root, ...((await read(root)) as { resources: Resource[] }) })))
  return lists.flatMap(({ root, resources }) =>
    resources.filter(({ verbs }) => verbs.includes('watch')).map(({ name }) => `${root}/${name}`),
  )
}

/** Opens all watches; resolves to their number. `onPod`: an event of the scheduler's watch on pods. */
export async function watchAsControlPlane(admin: Client, measures: Measures, onPod: OnEvent): Promise<number> {
  const failed = (error: Error) => measures.fail(`watch of the control plane: ${error.message}`)
  let count = 0
  const open = async (path: string, event: OnEvent = () => {}, accept?: string) => {
    // Empty collections have no version to start from: only their changes matter here.
    const from = await admin.need('GET', `${path}${path.includes('?') ? '' : '?'}limit=1`)
    const version = /"resourceVersion":\s*"(\d+)"/.exec(from.body.toString('latin1'))?.[1] ?? '0'
    const separator = path.includes('?') ? '' : '?'
    await admin.watch(`${path}${separator}watch=true&allowWatchBookmarks=true&resourceVersion=${version}`, event, failed, accept)
    count++
  }
  await open(`/api/v1/pods${unfinished}`, onPod)
  for (const path of scheduled) await open(path)
  for (const path of await watchable(admin)) {
    await open(path)
    // The garbage collector's.
    await open(path, () => {}, metadataOnly)
  }
  return count
}
