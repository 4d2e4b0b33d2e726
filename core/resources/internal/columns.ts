import type { Infer } from '../../schema/model.ts'
import { abridged, ageColumn, nameColumn, textColumn, unset } from '../cells.ts'
import type { StorageVersion } from './storageversion.ts'

type VersionRow = Infer<typeof StorageVersion>

function versionsText({ status }: VersionRow): string {
  const versions = status?.storageVersions ?? []
  return abridged(versions.map(({ apiServerID = '', encodingVersion = '' }) => `${apiServerID}=${encodingVersion}`)) || unset
}

export const storageVersionColumns = [
  nameColumn,
  textColumn('CommonEncodingVersion', 'Version that all servers store.', '.status.commonEncodingVersion', unset),
  textColumn('StorageVersions', 'Version that each server stores.', versionsText),
  ageColumn,
]
