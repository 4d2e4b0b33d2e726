import type { Infer } from '../../schema/model.ts'
import { abridged, ageColumn, nameColumn, textColumn, unset } from '../cells.ts'
import type { EndpointSlice } from './endpointslice.ts'

type SliceRow = Infer<typeof EndpointSlice>

function portsText({ ports }: SliceRow): string {
  return abridged((ports ?? []).map(({ name, port }) => String(port ?? name ?? '*'))) || unset
}

function endpointsText({ endpoints }: SliceRow): string {
  return abridged((endpoints ?? []).flatMap(({ addresses = [] }) => addresses)) || unset
}

export const endpointSliceColumns = [
  nameColumn,
  textColumn('AddressType', 'Type of the addresses.', '.addressType'),
  textColumn('Ports', 'Ports of every endpoint.', portsText),
  textColumn('Endpoints', 'Addresses.', endpointsText),
  ageColumn,
]
