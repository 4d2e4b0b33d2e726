import { any, atomicList, field, int32, message, required, string } from '../../schema/model.ts'
import { ConditionStatus } from './enums.ts'
import { ListMeta } from './listmeta.ts'

export const TableColumnDefinition = message('TableColumnDefinition', 'A column of a table.', () => ({
  name: required(0, string, 'Title of the column.'),
  type: required(0, string, 'Type of its cells: integer, number, boolean, string or date.'),
  format: required(0, string, 'Meaning of the cells; name marks the column of names.'),
  description: required(0, string, 'What the column shows.'),
  priority: required(0, int32, '0 for always; greater ones are shown when there is room.'),
}))

export const TableRowCondition = message('TableRowCondition', 'A mark on a row of a table.', () => ({
  type: required(0, string, 'Kind of mark, such as Completed.', { goType: 'v1.RowConditionType', openEnum: ['Completed'] }),
  status: required(0, string, 'True, False or Unknown.', { goType: 'v1.ConditionStatus', openEnum: ConditionStatus }),
  reason: field(0, string, 'One word in CamelCase that programs can match.'),
  message: field(0, string, 'Details for people.'),
}))

export const TableRow = message('TableRow', 'A row of a table.', () => ({
  cells: required(0, atomicList(any), 'Values, one per column.'),
  conditions: field(0, atomicList(TableRowCondition), 'Marks on the row.'),
  object: field(0, any, 'The object, its metadata or nothing, as requested.'),
}))

export const Table = message('Table', 'A collection as rows and columns.', () => ({
  metadata: field(0, ListMeta, 'Version and paging of the list.'),
  columnDefinitions: required(0, atomicList(TableColumnDefinition), 'The columns.'),
  rows: required(0, atomicList(TableRow), 'The rows.'),
})).with({ typeMeta: true })
