import { ageColumn, conditionOf, nameColumn, textColumn } from '../cells.ts'

interface ServiceRow {
  readonly spec?:
    | { readonly service?: { readonly namespace?: string | undefined; readonly name?: string | undefined } | undefined }
    | undefined
  readonly status?:
    | {
        readonly conditions?:
          | readonly { readonly type: string; readonly status: string; readonly reason?: string | undefined }[]
          | undefined
      }
    | undefined
}

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
