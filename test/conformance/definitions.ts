/** CustomResourceDefinitions and their objects, as tests write and read them. */
import type { Api, TestObject } from '../support/api.ts'
import { eventually } from '../support/wait.ts'

export const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

export interface Definition extends TestObject {
  readonly spec: { readonly [field: string]: unknown; readonly versions: readonly object[] }
  readonly status: {
    readonly conditions: readonly Condition[]
    readonly acceptedNames: { readonly [name: string]: unknown }
    readonly storedVersions: readonly string[]
  }
}

export const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'string', enum: ['small', 'large'] },
        weight: { type: 'integer', minimum: 1, default: 3, description: 'How heavy it is.' },
        tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      },
    },
    status: { type: 'object', properties: { weight: { type: 'integer' }, phase: { type: 'string' } } },
  },
}

export const versionOf = (name: string, more: object = {}) => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: schema },
  ...more,
})

export const stored = versionOf('v1', {
  storage: true,
  subresources: { status: {}, scale: { specReplicasPath: '.spec.weight', statusReplicasPath: '.status.weight' } },
  additionalPrinterColumns: [{ name: 'Size', type: 'string', jsonPath: '.spec.size' }],
})

export const names = { plural: 'widgets', kind: 'Widget', shortNames: ['wd'], categories: ['shop'] }

/** A CustomResourceDefinition of widgets in this group. */
export const definitionOf = (group: string, spec: object = {}, plural = 'widgets') => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: { group, scope: 'Namespaced', names, versions: [stored], ...spec },
})

/**
 * A small CustomResourceDefinition: a kind in a group, whose plural is the kind in lower case with an `s`. Objects are stored in the first version;
 * all versions have the schema.
 */
export function smallDefinition(
  group: string,
  kind: string,
  { scope = 'Namespaced', versions = ['v1'], openAPIV3Schema = { type: 'object' } }: SmallDefinition = {},
) {
  const plural = `${kind.toLowerCase()}s`
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, kind },
      versions: versions.map((name, at) => ({ name, served: true, storage: at === 0, schema: { openAPIV3Schema } })),
    },
  }
}
interface SmallDefinition {
  readonly scope?: 'Namespaced' | 'Cluster'
  readonly versions?: readonly string[]
  readonly openAPIV3Schema?: object
}

export const widget = (group: string, name: string, spec: object = { size: 'small' }, metadata: object = {}) => ({
  apiVersion: `${group}/v1`,
  kind: 'Widget',
  metadata: { name, ...metadata },
  spec,
})

export const condition = ({ status }: Definition, type: string) => {
  const found = status.conditions?.find((each) => each.type === type)
  return found && [found.status, found.reason, found.message]
}

export const readDefinition = async ({ get }: Api, name: string) => (await get<Definition>(`${definitionsPath}/${name}`)).body

/** Creates a definition; resolves when the condition has the wanted status. */
export async function define(
  api: Api,
  definition: ReturnType<typeof definitionOf>,
  type = 'Established',
  status = 'True',
): Promise<Definition> {
  await api.create(definitionsPath, definition)
  return reached(api, definition.metadata.name, (found) => condition(found, type)?.[0] === status)
}

export const reached = (api: Api, name: string, wanted: (definition: Definition) => boolean): Promise<Definition> =>
  eventually(`${name} is as wanted`, async () => {
    const found = await readDefinition(api, name)
    return found.kind === 'CustomResourceDefinition' && wanted(found) && found
  })

export const isGone = (api: Api, path: string) => eventually(`${path} is gone`, async () => (await api.get(path)).status === 404)

let count = 0
/** A fresh group name, one for each test. */
export const newGroup = () => `g${++count}.example.com`
