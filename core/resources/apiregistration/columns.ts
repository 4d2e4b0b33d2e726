import type { Infer } from '../../schema/model.ts'
import { ageColumn, conditionOf, nameColumn, textColumn } from '../cells.ts'
import type { APIService } from './apiservice.ts'

type ServiceRow = Infer<typeof APIService>

function serviceText({ spec }: ServiceRow): string {
  return spec?.service ? `${spec.service.namespace ?? ''}/${spec.service.name ?? ''}` : 'Local'
}

function availableText({ status }: ServiceRow): string {
  const condition = conditionOf(status?.conditions, 'Available')
  if (condition === undefined) return 'Unknown'
  return condition.status !== 'True' && condition.reason ? `${condition.status} (${condition.reason})` : condition.status
}

export const apiServiceColumns = [
  nameColumn,
  textColumn('Service', 'Service that requests are passed on to.', serviceText),
  textColumn('Available', 'Whether it can be reached.', availableText),
  ageColumn,
]
