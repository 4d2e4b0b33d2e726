import type { Platform } from '../../platform.ts'
import type { ResourceDefinition } from '../../resources/definition.ts'
import { groupVersions } from '../../resources/group-versions.ts'
import type { Message } from '../../schema/model.ts'

/** Model names in OpenAPI documents. */
export interface ModelNames {
  /** Package and name, such as `….api.apps.v1.Deployment`. Undefined for messages that are inlined: those in custom resources. */
  of(message: Message): string | undefined
  /** Model name of a resource's objects. */
  object(definition: ResourceDefinition): string
  /** Model name of its lists, in the same package. */
  list(definition: ResourceDefinition): string
  /** Name of a package or model below the root, such as `apimachinery.pkg.runtime.RawExtension`. */
  below(path: string): string
  /** Name in the machinery package, such as `apis.meta.v1.Time`. */
  machinery(path: string): string
}

/** Whether its schema is published as its author wrote it: its messages are in no package. */
export const isAsWritten = ({ origin }: ResourceDefinition) => origin.published !== undefined

const reversed = (domain: string) => domain.split('.').reverse().join('.')

/** Built-in messages are named by package, custom resources by group, version and kind. */
export function createModelNames(platform: Platform): ModelNames {
  const root = reversed(platform.domain)
  // A message narrowed for one field is a copy that shares `fields` with the original.
  const names = new Map<Message['fields'], string>()
  for (const { package: name, messages, copies } of groupVersions) {
    const prefix = `${root}.${name.replace('<component>', platform.component)}`
    for (const message of [...messages, ...copies]) if (!names.has(message.fields)) names.set(message.fields, `${prefix}.${message.name}`)
  }
  // Custom resources are in no package; reading `fields` would parse their schemas.
  const of = (message: Message) => (message.open ? undefined : names.get(message.fields))
  const object = ({ schema, group, version, kind }: ResourceDefinition) => of(schema) ?? `${reversed(group)}.${version}.${kind}`
  return {
    of,
    object,
    list: (definition) => {
      const name = object(definition)
      return `${name.slice(0, name.lastIndexOf('.'))}.${definition.listKind}`
    },
    below: (path) => `${root}.${path}`,
    machinery: (path) => `${root}.apimachinery.pkg.${path}`,
  }
}
