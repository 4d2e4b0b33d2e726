import { ageColumn, nameColumn, textColumn } from '../cells.ts'

export const runtimeClassColumns = [
  nameColumn,
  textColumn('Handler', 'Configuration that the container runtime uses.', '.handler'),
  ageColumn,
]
