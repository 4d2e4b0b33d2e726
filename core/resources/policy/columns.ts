import { ageColumn, countColumn, nameColumn, textColumn } from '../cells.ts'

export const podDisruptionBudgetColumns = [
  nameColumn,
  textColumn('Min Available', 'Pods that must stay available.', '.spec.minAvailable', 'N/A'),
  textColumn('Max Unavailable', 'Pods that may be missing.', '.spec.maxUnavailable', 'N/A'),
  countColumn('Allowed Disruptions', 'Pods that may be disrupted now.', '.status.disruptionsAllowed'),
  ageColumn,
]
