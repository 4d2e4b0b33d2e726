import type { Platform } from '../../platform.ts'
import type { ResourceDefinition } from '../../resources/definition.ts'
import { groupVersions } from '../../resources/group-versions.ts'
import type { Message } from '../../schema/model.ts'

/** How models are called in OpenAPI documents. */
export interface ModelNames {
  /** Package and name, such as `….api.apps.v1.Deployment`. Undefined for messages that are written in place: those within custom resources. */
  of(message: Message): string | undefined
  /** Whether it is a custom resource: its messages belong to no package. */
  custom(definition: ResourceDefinition): boolean
  /** Name of the model of a resource's objects. */
  object(definition: ResourceDefinition): string
  /** Name of the model of its lists, in the same package. */
  list(definition: ResourceDefinition): string
  /** Name below the package of shared machinery, such as `apis.meta.v1.Time`. */
  machinery(path: string): string
}

const reversed = (domain: string) => domain.split('.').reverse().join('.')

/** Built-in messages are named after their package, custom resources after their group, version and kind. */
export function createModelNames(platform: Platform): ModelNames {
  const root = reversed(platform.domain)
  // Narrowing a message for one field copies it; what a copy shares with the original is its fields.
  const names = new Map<Message['fields'], string>()
  for (const { package: name, messages } of groupVersions) {
    const prefix = `${root}.${name.replace('<component>', platform.component)}`
    for (const message of messages) if (!names.has(message.fields)) names.set(message.fields, `${prefix}.${message.name}`)
  }
  // Custom resources belong to no package; asking for their fields would read their schemas.
  const of = (message: Message) => (message.dialect === 'openapi' ? undefined : names.get(message.fields))
  const object = ({ schema, group, version, kind }: ResourceDefinition) => of(schema) ?? `${reversed(group)}.${version}.${kind}`
  return {
    of,
    custom: ({ schema }) => schema.dialect === 'openapi',
    object,
    list: (definition) => {
      const name = object(definition)
      return `${name.slice(0, name.lastIndexOf('.'))}.${definition.listKind}`
    },
    machinery: (path) => `${root}.apimachinery.pkg.${path}`,
  }
}
