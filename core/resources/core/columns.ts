import type { Infer } from '../../schema/model.ts'
import {
  abridged,
  ageColumn,
  conditionOf,
  containerColumns,
  countColumn,
  labelsText,
  nameColumn,
  none,
  sizeColumn,
  textColumn,
  wide,
} from '../cells.ts'
import type { ComponentStatus } from './componentstatus.ts'
import type { Endpoints } from './endpoints.ts'
import type { PodTemplate } from './podtemplate.ts'
import type { ReplicationController } from './replicationcontroller.ts'
import type { ResourceQuota } from './resourcequota.ts'

export const namespaceColumns = [nameColumn, textColumn('Status', 'Phase of the namespace.', '.status.phase'), ageColumn]

export const configMapColumns = [nameColumn, sizeColumn('Data', 'Number of entries.', 'string', '.data', '.binaryData'), ageColumn]

export const secretColumns = [
  nameColumn,
  textColumn('Type', 'Kind of content.', '.type'),
  sizeColumn('Data', 'Number of entries.', 'string', '.data'),
  ageColumn,
]

export const serviceAccountColumns = [nameColumn, ageColumn]

type TemplateRow = Infer<typeof PodTemplate>

export const podTemplateColumns = [
  nameColumn,
  ...containerColumns('.template.spec.containers'),
  textColumn<TemplateRow>('Pod Labels', 'Labels of the template.', ({ template }) => labelsText(template?.metadata?.labels)),
]

type ControllerRow = Infer<typeof ReplicationController>

export const replicationControllerColumns = [
  nameColumn,
  countColumn('Desired', 'Desired number of pods.', '.spec.replicas'),
  countColumn('Current', 'Number of pods.', '.status.replicas'),
  countColumn('Ready', 'Number of pods that are ready.', '.status.readyReplicas'),
  ageColumn,
  ...containerColumns('.spec.template.spec.containers').map(wide),
  wide(textColumn<ControllerRow>('Selector', 'Labels of its pods.', ({ spec }) => labelsText(spec?.selector))),
]

type EndpointsRow = Infer<typeof Endpoints>

const maxShown = 3
const withPort = (ip: string, port: number) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)

function endpointsText({ subsets = [] }: EndpointsRow): string {
  if (subsets.length === 0) return none
  let count = 0
  const first: string[] = []
  for (const { addresses = [], ports = [] } of subsets) {
    count += addresses.length * Math.max(ports.length, 1)
    // Ports times addresses may be a billion combinations; the cell shows the first ones.
    for (const port of ports.length === 0 ? [undefined] : ports.slice(0, maxShown))
      for (const { ip } of addresses.slice(0, maxShown)) if (first.length < maxShown) first.push(port ? withPort(ip, port.port) : ip)
  }
  return abridged(first, maxShown, ',', count)
}

export const endpointsColumns = [nameColumn, textColumn('Endpoints', 'Addresses and ports.', endpointsText), ageColumn]

type QuotaRow = Infer<typeof ResourceQuota>

function quotaText({ status }: QuotaRow, limits: boolean): string {
  return Object.entries(status?.hard ?? {})
    .filter(([resource]) => resource.startsWith('limits.') === limits)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, hard]) => `${resource}: ${status?.used?.[resource] ?? '0'}/${hard}`)
    .join(', ')
}

export const resourceQuotaColumns = [
  nameColumn,
  textColumn<QuotaRow>('Request', 'Use and bounds of requests and counts.', (quota) => quotaText(quota, false)),
  textColumn<QuotaRow>('Limit', 'Use and bounds of limits.', (quota) => quotaText(quota, true)),
  ageColumn,
]

type ComponentRow = Infer<typeof ComponentStatus>

const health = ({ conditions }: ComponentRow) => conditionOf(conditions, 'Healthy')

function healthText(component: ComponentRow): string {
  const condition = health(component)
  if (condition === undefined) return 'Unknown'
  return condition.status === 'True' ? 'Healthy' : 'Unhealthy'
}

export const componentStatusColumns = [
  nameColumn,
  textColumn('Status', 'Whether the component is healthy.', healthText),
  textColumn<ComponentRow>('Message', 'Message of the component.', (component) => health(component)?.message ?? ''),
  textColumn<ComponentRow>('Error', 'Error of the check.', (component) => health(component)?.error ?? ''),
]
