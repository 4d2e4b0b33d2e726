/** The connection file of a branch: that of the caller, for another path of the same server. */
import { dirname, resolve } from 'node:path'
import { parseText } from '../../../core/config/files/load.ts'
import { isObject } from '../../../core/schema/json/is-object.ts'
import type { Json, JsonObject } from '../../../core/schema/model.ts'

/** Fields that name files, relative to the connection file. */
const files = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile']

const listOf = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
const objectIn = (value: JsonObject | undefined, name: string): JsonObject => {
  const member = value?.[name]
  return isObject(member) ? member : {}
}

/** The content with absolute paths, so that it may be anywhere. */
function placed(content: JsonObject, directory: string): JsonObject {
  const place = ([name, value]: [string, Json]): [string, Json] => {
    if (files.includes(name) && typeof value === 'string' && value !== '') return [name, resolve(directory, value)]
    // As client-go: a command without a slash is looked up in PATH.
    if (name === 'exec' && isObject(value) && typeof value['command'] === 'string' && value['command'].includes('/'))
      return [name, { ...value, command: resolve(directory, value['command']) }]
    return [name, value]
  }
  return Object.fromEntries(Object.entries(content).map(place))
}

/** The current context of a connection file that `loadConnectionFile` accepts, with another URL, in JSON, which is YAML, too. */
export function kubeconfigOf(text: string, path: string, url: string, name: string): string {
  const file = parseText(text, path) as JsonObject
  const find = (list: string, wanted: Json | undefined) => listOf(file[list]).find((each) => each['name'] === wanted)
  const context = objectIn(find('contexts', file['current-context']), 'context')
  const cluster = objectIn(find('clusters', context['cluster']), 'cluster')
  const user = objectIn(find('users', context['user']), 'user')
  const directory = dirname(path)
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { ...placed(cluster, directory), server: url } }],
    users: [{ name: context['user'] ?? '', user: placed(user, directory) }],
    contexts: [{ name, context: { ...context, cluster: name } }],
    'current-context': name,
  }
  return `${JSON.stringify(config, undefined, 2)}\n`
}
