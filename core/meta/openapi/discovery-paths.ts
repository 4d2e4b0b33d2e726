import { mediaTypesOf } from '../../answers/encodings/index.ts'
import type { Platform } from '../../platform.ts'
import type { ResourceDefinition } from '../../resources/definition.ts'
import { APIGroup, APIGroupList, APIResourceList, APIVersions } from '../../resources/meta/index.ts'
import { field, type JsonObject, message, required, string } from '../../schema/model.ts'
import type { PublishedPath } from '../published-path.ts'
import type { ServedVersion } from '../served.ts'
import { versionFields } from '../version.ts'
import type { Models } from './models.ts'
import { operationNames } from './operation-names.ts'
import { type Operation, type PathItem, responses } from './operations.ts'

const json: readonly string[] = ['application/json']

function read(path: string, id: string, tag: string, description: string, answer: JsonObject, types = json, consumes = types): PathItem {
  const operation: Operation = {
    method: 'get',
    id,
    description,
    tag,
    parameters: [],
    consumes,
    produces: types,
    responses: responses(answer, 200),
  }
  return { path, parameters: [], operations: [operation] }
}

const discoveryTypes = (platform: Platform) => mediaTypesOf(platform, false)

/** `/api/` */
export const corePath = (platform: Platform, models: Models) =>
  read('/api/', 'getCoreAPIVersions', 'core', 'get available API versions', models.message(APIVersions), discoveryTypes(platform))

/** `/apis/` */
export const groupsPath = (platform: Platform, models: Models) =>
  read('/apis/', 'getAPIVersions', 'apis', 'get available API versions', models.message(APIGroupList), discoveryTypes(platform))

/** All groups except the core group. */
export const namedGroups = (definitions: readonly ResourceDefinition[]): ReadonlySet<string> =>
  new Set(definitions.flatMap(({ group }) => (group === '' ? [] : [group])))

/** `/apis/GROUP/` */
export function groupPath(name: string, platform: Platform, models: Models): PathItem {
  const { id, tag } = operationNames(name, '', platform)
  return read(
    `/apis/${name}/`,
    id('get', 'APIGroup'),
    tag,
    'get information of a group',
    models.message(APIGroup),
    discoveryTypes(platform),
  )
}

/** `/api/v1/` or `/apis/GROUP/VERSION/` */
export function versionPath({ group, version, path }: ServedVersion, platform: Platform, models: Models, cbor = false): PathItem {
  const { id, tag } = operationNames(group, version, platform)
  return read(
    `${path}/`,
    id('get', 'APIResources'),
    tag,
    'get available resources',
    models.message(APIResourceList),
    mediaTypesOf(platform, cbor),
  )
}

/** Fields of `/version` that a server may leave out. */
const optional: ReadonlySet<string> = new Set(['emulationMajor', 'emulationMinor', 'minCompatibilityMajor', 'minCompatibilityMinor'])
const versionInfo = message(
  'Info',
  'The release of the server.',
  Object.fromEntries(versionFields.map((name) => [name, optional.has(name) ? field(0, string, '') : required(0, string, '')])),
)

/** `/version/` */
export const releasePath = (models: Models) =>
  read('/version/', 'getCodeVersion', 'version', 'get the release of the server', models.machinery('version.Info', versionInfo))

/** A fixed path outside of groups. */
export const otherPath = (path: string, { id, tag, description, type }: PublishedPath) =>
  read(`${path}/`, id, tag, description, { type: 'string' }, [type], [])
