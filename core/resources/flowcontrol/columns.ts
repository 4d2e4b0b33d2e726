import { getPath } from '../../schema/accessors.ts'
import type { Infer } from '../../schema/model.ts'
import { ageColumn, conditionOf, countColumn, nameColumn, none, textColumn } from '../cells.ts'
import type { Column } from '../definition.ts'
import type { FlowSchema } from './flowschema.ts'

type SchemaRow = Infer<typeof FlowSchema>

export const flowSchemaColumns = [
  nameColumn,
  textColumn('PriorityLevel', 'Level that handles the requests.', '.spec.priorityLevelConfiguration.name'),
  countColumn('MatchingPrecedence', 'Order among schemas; the least that matches wins.', '.spec.matchingPrecedence', 'string'),
  textColumn('DistinguisherMethod', 'What distinguishes flows.', '.spec.distinguisherMethod.type', none),
  ageColumn,
  textColumn<SchemaRow>(
    'MissingPL',
    'Whether the level is missing.',
    ({ status }) => conditionOf(status?.conditions, 'Dangling')?.status ?? '?',
  ),
]

/** A column for a number below `.spec.limited`, or `<none>`. */
function limit(name: string, doc: string, path: string): Column<unknown> {
  const cell = (object: unknown) => (getPath(object, `.spec.limited${path}`) as number | undefined) ?? none
  return { name, type: 'string', doc, priority: 0, cell }
}

export const priorityLevelConfigurationColumns = [
  nameColumn,
  textColumn('Type', 'Exempt or Limited.', '.spec.type'),
  limit('NominalConcurrencyShares', "Share of the server's seats.", '.nominalConcurrencyShares'),
  limit('Queues', 'Number of queues.', '.limitResponse.queuing.queues'),
  limit('HandSize', 'Queues that one flow is dealt.', '.limitResponse.queuing.handSize'),
  limit('QueueLengthLimit', 'Requests that a queue holds.', '.limitResponse.queuing.queueLengthLimit'),
  ageColumn,
]
