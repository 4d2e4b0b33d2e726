import { abridged, ageColumn, nameColumn, textColumn, unset } from '../cells.ts'

interface VersionRow {
  readonly status?:
    | {
        readonly storageVersions?:
          | readonly { readonly apiServerID?: string | undefined; readonly encodingVersion?: string | undefined }[]
          | undefined
      }
    | undefined
}

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
