/** Places in discovery of the groups that the server itself brings, higher first: what the reference server registers for them. */
export const builtinGroups: readonly (readonly [name: string, priority: number])[] = [
  ['apiregistration.<domain>', 20000],
  ['', 18000],
  ['apps', 17800],
  ['events.<domain>', 17750],
  ['authentication.<domain>', 17700],
  ['authorization.<domain>', 17600],
  ['autoscaling', 17500],
  ['batch', 17400],
  ['certificates.<domain>', 17300],
  ['networking.<domain>', 17200],
  ['policy', 17100],
  ['rbac.authorization.<domain>', 17000],
  ['storage.<domain>', 16800],
  ['admissionregistration.<domain>', 16700],
  ['apiextensions.<domain>', 16700],
  ['scheduling.<domain>', 16600],
  ['coordination.<domain>', 16500],
  ['node.<domain>', 16300],
  ['discovery.<domain>', 16200],
  ['flowcontrol.apiserver.<domain>', 16100],
  ['internal.apiserver.<domain>', 16000],
  ['resource.<domain>', 15900],
  ['storagemigration.<domain>', 15800],
]

/** Groups of custom resources come after all of these. */
export const customGroupPriority = 1000
