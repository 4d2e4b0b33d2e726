import type { Platform } from '../../platform.ts'
import { Scale } from '../../resources/autoscaling/v1/scale.ts'
import type { ResourceDefinition } from '../../resources/definition.ts'
import { DeleteOptions, ListOptions, Status, WatchEvent } from '../../resources/meta/index.ts'
import type { JsonObject, Message } from '../../schema/model.ts'
import { type ResourceRow, resourceRows } from '../resource-rows.ts'
import type { ServedVersion } from '../served.ts'
import type { ModelNames } from './model-names.ts'
import type { Models } from './models.ts'
import { operationNames, title } from './operation-names.ts'
import { type Operation, type PathItem, responses } from './operations.ts'
import { nameParameter, namespaceParameter, type Parameter, pathParameter, pretty, queryParameters } from './parameters.ts'
import { collectionVerbs, connectMethods, itemVerbs, type VerbRow, watchVerbs } from './verbs.ts'

export interface PathsContext {
  readonly platform: Platform
  readonly names: ModelNames
  readonly models: Models
}

/** All paths of the resources of one group version, with the operations that discovery lists as verbs. */
export function resourcePaths(version: ServedVersion, context: PathsContext): readonly PathItem[] {
  return version.definitions.flatMap((definition) => {
    const paths = createPaths(version, definition, context)
    const [own, ...subresources] = resourceRows(definition)
    return [...paths.resource(own), ...subresources.flatMap(paths.subresource), ...paths.watches(own)].filter(
      ({ operations }) => operations.length > 0,
    )
  })
}

function createPaths({ group, version, path }: ServedVersion, definition: ResourceDefinition, { platform, names, models }: PathsContext) {
  const {
    kind,
    namespaced,
    names: { plural },
  } = definition
  const { id, tag } = operationNames(group, version, platform)
  const scope = namespaced ? 'namespaces/{namespace}/' : ''
  const scopeParameters = namespaced ? [namespaceParameter] : []
  const itemParameters = [nameParameter(kind), ...scopeParameters]
  const custom = names.custom(definition)
  const types = ['application/json', 'application/yaml', ...(custom ? [] : [platform.protobufType])]
  const streams = types.filter((type) => type !== 'application/yaml').map((type) => `${type};stream=watch`)
  const patches = ['json-patch+json', 'merge-patch+json', ...(custom ? [] : ['strategic-merge-patch+json']), 'apply-patch+yaml']
  const bodies = {
    patch: { consumes: patches.map((type) => `application/${type}`), required: true },
    delete: { consumes: types, required: false },
    object: { consumes: types, required: true },
  }

  const schemaOf = ({ subresource, verbs }: ResourceRow): JsonObject => {
    // What can be read but never written is no object but a text.
    if (subresource !== '' && verbs.length === 1 && verbs[0] === 'get') return { type: 'string' }
    const own: Message | undefined = definition.subresources.find(({ name }) => name === subresource)?.schema
    if (own && own !== definition.schema) return models.message(own)
    return subresource === 'scale' ? models.message(Scale) : models.object(definition)
  }

  const answers: { readonly [answer in VerbRow['answer']]: (row: ResourceRow) => JsonObject } = {
    object: schemaOf,
    list: () => models.list(definition),
    status: () => models.message(Status),
    deleted: () => (definition.returnsDeleted ? models.object(definition) : models.message(Status)),
  }

  const operation = (verb: VerbRow, row: ResourceRow, all = false): Operation => {
    const { method, action, description, options, answer, codes } = verb
    const name = `${verb.id[1]}${namespaced && !all ? 'Namespaced' : ''}${kind}${title(row.subresource)}${all ? 'ForAllNamespaces' : ''}`
    const body = verb.body && {
      consumes: bodies[verb.body].consumes,
      body: {
        required: bodies[verb.body].required,
        schema:
          verb.body === 'object'
            ? schemaOf(row)
            : verb.body === 'delete'
              ? models.message(DeleteOptions)
              : models.machinery('apis.meta.v1.Patch', { type: 'object', description: 'A patch in one of the accepted formats.' }),
      },
    }
    const answered = answers[answer](row)
    return {
      method,
      id: id(verb.id[0], name),
      description: `${description} ${kind}${row.subresource === '' ? '' : ` through ${row.subresource}`}`,
      tag,
      action,
      kind: { group: row.group ?? group, version: row.version ?? version, kind: row.kind },
      parameters: queryParameters(options),
      consumes: ['*/*'],
      ...body,
      produces: answer === 'list' ? [...types, ...streams] : types,
      responses: responses(answered, ...codes),
    }
  }

  const item = (path: string, parameters: readonly Parameter[], operations: readonly Operation[]): PathItem => ({
    path,
    parameters: [...parameters, pretty],
    operations,
  })
  const pick = (verbs: readonly VerbRow[], row: ResourceRow) => verbs.filter(({ verb }) => row.verbs.includes(verb))

  const connect = (row: ResourceRow, withPath: boolean): Operation[] =>
    connectMethods[row.verbs.includes('update') ? 'proxy' : 'stream'].map((method) => ({
      method,
      id: id('connect', `${title(method)}${namespaced ? 'Namespaced' : ''}${kind}${title(row.subresource)}${withPath ? 'WithPath' : ''}`),
      description: `connect to ${row.subresource} of a ${kind}`,
      tag,
      action: 'connect',
      kind: { group, version, kind: row.kind },
      parameters: [],
      consumes: ['*/*'],
      produces: ['*/*'],
      responses: responses({ type: 'string' }, 200),
    }))

  const watch = ({ infix, action, description }: (typeof watchVerbs)[keyof typeof watchVerbs], all = false): Operation => ({
    method: 'get',
    id: id('watch', `${namespaced && !all ? 'Namespaced' : ''}${kind}${infix}${all ? 'ForAllNamespaces' : ''}`),
    description: `${description} ${kind}; deprecated: list with the parameter watch instead`,
    tag,
    action,
    kind: { group, version, kind },
    parameters: queryParameters([ListOptions]),
    consumes: ['*/*'],
    produces: [...types, ...streams],
    responses: responses(models.message(WatchEvent), 200),
  })

  return {
    resource(row: ResourceRow): PathItem[] {
      const collection = pick(collectionVerbs, row)
      return [
        item(
          `${path}/${scope}${plural}`,
          scopeParameters,
          collection.map((verb) => operation(verb, row)),
        ),
        item(
          `${path}/${scope}${plural}/{name}`,
          itemParameters,
          pick(itemVerbs, row).map((verb) => operation(verb, row)),
        ),
        ...(namespaced
          ? [
              item(
                `${path}/${plural}`,
                [],
                collection.filter(({ verb }) => verb === 'list').map((verb) => operation(verb, row, true)),
              ),
            ]
          : []),
      ]
    },
    subresource(row: ResourceRow): PathItem[] {
      const own = `${path}/${scope}${plural}/{name}/${row.subresource}`
      // What is both created and read is no object but a stream.
      if (!row.verbs.includes('create') || !row.verbs.includes('get')) {
        const verbs = pick([...collectionVerbs.filter(({ verb }) => verb === 'create'), ...itemVerbs], row)
        return [
          item(
            own,
            itemParameters,
            verbs.map((verb) => operation(verb, row)),
          ),
        ]
      }
      const options = definition.subresources.filter(({ name }) => name === row.subresource).map(({ schema }) => schema)
      const parameters = [...itemParameters, ...queryParameters(options)]
      const paths = [{ path: own, parameters, operations: connect(row, false) }]
      if (!row.verbs.includes('update')) return paths
      return [...paths, { path: `${own}/{path}`, parameters: [...parameters, pathParameter], operations: connect(row, true) }]
    },
    watches(row: ResourceRow): PathItem[] {
      if (!row.verbs.includes('watch')) return []
      return [
        item(`${path}/watch/${scope}${plural}`, scopeParameters, [watch(watchVerbs.collection)]),
        item(`${path}/watch/${scope}${plural}/{name}`, itemParameters, [watch(watchVerbs.item)]),
        ...(namespaced ? [item(`${path}/watch/${plural}`, [], [watch(watchVerbs.collection, true)])] : []),
      ]
    },
  }
}
