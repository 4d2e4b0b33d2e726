import type { HookContext, Infer } from '../../schema/model.ts'
import { ageColumn, conditionOf, joined, nameColumn, none, textColumn, unknown, wide } from '../cells.ts'
import type { Node } from './node.ts'

type NodeRow = Infer<typeof Node>

function statusText({ spec, status }: NodeRow): string {
  const ready = conditionOf(status?.conditions, 'Ready')
  const text = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return spec?.unschedulable ? `${text},SchedulingDisabled` : text
}

/** Roles from the labels `node-role.<labels>/<role>` and `<labels>/role`, whose value is the role. */
function roles({ metadata }: NodeRow, { platform }: HookContext): string {
  const prefix = platform.name('node-role.<labels>/')
  const named = platform.name('<labels>/role')
  const found = Object.entries(metadata?.labels ?? {}).map(([key, value]) => {
    if (key.startsWith(prefix)) return key.slice(prefix.length)
    return key === named ? value : ''
  })
  return joined([...new Set(found.filter((role) => role !== ''))].sort())
}

function kernelText({ status }: NodeRow): string {
  const { kernelVersion, architecture } = status?.nodeInfo ?? {}
  return (kernelVersion || unknown) + (architecture ? ` (${architecture})` : '')
}

const address = (type: string) => (node: NodeRow) => node.status?.addresses?.find((each) => each.type === type)?.address ?? none

export const nodeColumns = [
  nameColumn,
  textColumn('Status', 'Whether the node is ready and takes pods.', statusText),
  textColumn('Roles', 'Roles of the node.', roles),
  ageColumn,
  textColumn('Version', 'Version of the node agent.', '.status.nodeInfo.kubeletVersion'),
  wide(textColumn('Internal-IP', 'First address inside the cluster.', address('InternalIP'))),
  wide(textColumn('External-IP', 'First address outside the cluster.', address('ExternalIP'))),
  wide(textColumn('OS-Image', 'Operating system.', '.status.nodeInfo.osImage', unknown)),
  wide(textColumn('Kernel-Version', 'Version of the kernel, and the architecture of the machine.', kernelText)),
  wide(textColumn('Container-Runtime', 'Container runtime and its version.', '.status.nodeInfo.containerRuntimeVersion', unknown)),
]
