import type { ServedResources } from '../../../core/meta/served.ts'
import { createPlatform } from '../../../core/platform.ts'
import { bind } from '../../../core/resources/bind.ts'
import { type ResourceDefinition, resource } from '../../../core/resources/definition.ts'
import { builtinResources } from '../../../core/resources/index.ts'
import { ObjectMeta } from '../../../core/resources/meta/index.ts'
import { bool, field, int32, intOrString, list, map, message, required, string } from '../../../core/schema/model.ts'

export const platform = createPlatform('platform')
export const builtin: readonly ResourceDefinition[] = builtinResources().map((definition) => bind(definition, platform))

/** A custom resource as it is read from a CustomResourceDefinition: nothing in it belongs to a package. */
export function widget(version: string, sizes: readonly string[] = ['small', 'large']): ResourceDefinition {
  const Spec = message('', '', {
    size: required(0, string, 'How large it is.', { enum: sizes, maxLength: 9 }),
    weight: field(0, int32, '', { min: 1, default: 3 }),
    port: field(0, intOrString, ''),
    tags: field(0, list(string, { listType: 'set' }), ''),
    extra: field(0, map(bool), '', { nullable: true }),
  })
  return resource({
    group: 'shop.example.com',
    version,
    kind: 'Widget',
    names: ['widgets', 'widget', 'wd'],
    categories: ['all', 'shop'],
    schema: message('', 'Something to sell.', { metadata: field(0, ObjectMeta, ''), spec: field(0, Spec, '') }, { typeMeta: true }),
    status: true,
    scale: { specReplicas: '.spec.weight', statusReplicas: '.status.weight' },
    updateNeedsVersion: true,
  })
}

export interface ChangingResources extends ServedResources {
  set(definitions: readonly ResourceDefinition[]): void
}

export function serving(first: readonly ResourceDefinition[]): ChangingResources {
  let definitions = first
  let revision = 1
  return {
    get revision() {
      return revision
    },
    definitions: () => definitions,
    set(next) {
      definitions = next
      revision++
    },
  }
}

interface Responder {
  respond(request: Request, url: URL): Promise<Response> | undefined
}

export async function get(from: Responder, path: string, headers: Record<string, string> = {}): Promise<Response> {
  const url = new URL(path, 'http://server')
  const response = await from.respond(new Request(url, { headers }), url)
  if (!response) throw new Error(`nothing at ${path}`)
  return response
}

export const clockAt = (milliseconds: number) => ({ now: () => milliseconds, after: () => () => {} })
