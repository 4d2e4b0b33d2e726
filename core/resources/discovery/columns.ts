import { abridged, ageColumn, nameColumn, textColumn, unset } from '../cells.ts'

interface SliceRow {
  readonly ports?: readonly { readonly name?: string | undefined; readonly port?: number | undefined }[] | undefined
  readonly endpoints?: readonly { readonly addresses?: readonly string[] | undefined }[] | undefined
}

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
