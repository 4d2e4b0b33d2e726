import type { Platform } from '../../platform.ts'
import { APIGroup, APIGroupList, APIResourceList, APIVersions } from '../../resources/meta/index.ts'
import type { JsonObject } from '../../schema/model.ts'
import type { ServedGroup, ServedVersion } from '../served.ts'
import { versionFields } from '../version.ts'
import type { Models } from './models.ts'
import { operationNames } from './operation-names.ts'
import { type Operation, type PathItem, responses } from './operations.ts'

const json = ['application/json']

function read(path: string, id: string, tag: string, description: string, answer: JsonObject): PathItem {
  const operation: Operation = {
    method: 'get',
    id,
    description,
    tag,
    parameters: [],
    consumes: json,
    produces: json,
    responses: responses(answer, 200),
  }
  return { path, parameters: [], operations: [operation] }
}

/** `/api/` */
export const corePath = (models: Models) =>
  read('/api/', 'getCoreAPIVersions', 'core', 'list the versions of the core group', models.message(APIVersions))

/** `/apis/` */
export const groupsPath = (models: Models) => read('/apis/', 'getAPIVersions', 'apis', 'list the groups', models.message(APIGroupList))

/** `/apis/GROUP/` */
export function groupPath({ name }: ServedGroup, platform: Platform, models: Models): PathItem {
  const { id, tag } = operationNames(name, '', platform)
  return read(`/apis/${name}/`, id('get', 'APIGroup'), tag, 'list the versions of a group', models.message(APIGroup))
}

/** `/api/v1/` or `/apis/GROUP/VERSION/` */
export function versionPath({ group, version, path }: ServedVersion, platform: Platform, models: Models): PathItem {
  const { id, tag } = operationNames(group, version, platform)
  return read(`${path}/`, id('get', 'APIResources'), tag, 'list the resources of a version', models.message(APIResourceList))
}

/** `/version/` */
export function releasePath(models: Models): PathItem {
  const properties = Object.fromEntries(versionFields.map((name): [string, JsonObject] => [name, { type: 'string' }]))
  const info = models.machinery('version.Info', { description: 'The release of the server.', type: 'object', properties })
  return read('/version/', 'getCodeVersion', 'version', 'show the release of the server', info)
}
