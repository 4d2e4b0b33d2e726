import { ageColumn, nameColumn, textColumn } from '../cells.ts'

export const leaseColumns = [nameColumn, textColumn('Holder', 'Present holder.', '.spec.holderIdentity'), ageColumn]

export const leaseCandidateColumns = [
  nameColumn,
  textColumn('LeaseName', 'Lease that it is a candidate for.', '.spec.leaseName'),
  textColumn('BinaryVersion', 'Version of the program.', '.spec.binaryVersion'),
  textColumn('EmulationVersion', 'Version that the program behaves like.', '.spec.emulationVersion'),
  ageColumn,
]
