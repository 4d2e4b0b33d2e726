import type { Infer } from '../../schema/model.ts'
import {
  ageColumn,
  containerColumns,
  countColumn,
  labelsText,
  nameColumn,
  none,
  ratioColumn,
  selectorColumn,
  selectorText,
  textColumn,
  wide,
} from '../cells.ts'
import type { ControllerRevision } from './controllerrevision.ts'
import type { DaemonSet } from './daemonset.ts'
import type { Deployment } from './deployment.ts'

const containers = containerColumns('.spec.template.spec.containers').map(wide)
const selector = wide(selectorColumn('.spec.selector'))
const ready = ratioColumn('Ready', 'Ready pods, out of the desired number.', '.status.readyReplicas', '.spec.replicas')

type DeploymentRow = Infer<typeof Deployment>

/** As in the reference, empty where other tables show `<none>`. */
function deploymentSelector({ spec }: DeploymentRow): string {
  const text = selectorText(spec?.selector)
  return text === none ? '' : text === '<error>' ? '<invalid>' : text
}

export const deploymentColumns = [
  nameColumn,
  ready,
  countColumn('Up-to-date', 'Pods of the current template.', '.status.updatedReplicas', 'string'),
  countColumn('Available', 'Pods that have been ready for long enough.', '.status.availableReplicas', 'string'),
  ageColumn,
  ...containers,
  wide(textColumn('Selector', 'Selects the pods.', deploymentSelector)),
]

export const replicaSetColumns = [
  nameColumn,
  countColumn('Desired', 'Desired number of pods.', '.spec.replicas'),
  countColumn('Current', 'Number of pods.', '.status.replicas'),
  countColumn('Ready', 'Number of pods that are ready.', '.status.readyReplicas'),
  ageColumn,
  ...containers,
  selector,
]

export const statefulSetColumns = [nameColumn, ready, ageColumn, ...containers]

type DaemonSetRow = Infer<typeof DaemonSet>

export const daemonSetColumns = [
  nameColumn,
  countColumn('Desired', 'Nodes that should run a pod.', '.status.desiredNumberScheduled'),
  countColumn('Current', 'Of these, nodes that run one.', '.status.currentNumberScheduled'),
  countColumn('Ready', 'Of these, nodes whose pod is ready.', '.status.numberReady'),
  countColumn('Up-to-date', 'Nodes whose pod has the current template.', '.status.updatedNumberScheduled'),
  countColumn('Available', 'Nodes whose pod has been ready for long enough.', '.status.numberAvailable'),
  textColumn<DaemonSetRow>('Node Selector', 'Labels of the nodes.', ({ spec }) => labelsText(spec?.template?.spec?.nodeSelector)),
  ageColumn,
  ...containers,
  selector,
]

type RevisionRow = Infer<typeof ControllerRevision>

function controllerText({ metadata }: RevisionRow): string {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller)
  if (owner === undefined) return none
  const [group, version] = owner.apiVersion.split('/')
  const kind = version === undefined ? owner.kind : `${owner.kind}.${group}`
  return `${kind.toLowerCase()}/${owner.name}`
}

export const controllerRevisionColumns = [
  nameColumn,
  textColumn('Controller', 'Object that the revision belongs to.', controllerText),
  countColumn('Revision', 'Number of the revision.', '.revision', 'string'),
  ageColumn,
]
