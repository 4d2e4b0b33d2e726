import assert from 'node:assert/strict'
import { Pauses } from '../../../core/common/slices.ts'
import type { FixedRequest } from '../../../core/meta/fixed-request.ts'
import type { DefinitionSource } from '../../../core/meta/served.ts'
import type { MetricRow, Metrics, MetricType } from '../../../core/metrics.ts'
import { createPlatform } from '../../../core/platform.ts'
import { customResourceRows } from '../../../core/resources/apiextensions/custom-resource.ts'
import { bind } from '../../../core/resources/bind.ts'
import type { ResourceDefinition } from '../../../core/resources/definition.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { webClock } from '../../../runtimes/web/ports.ts'

export const platform = createPlatform('platform')
export const pauses = new Pauses(webClock)
const ignore = () => {}
export const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }
export const builtin: readonly ResourceDefinition[] = builtInResources.map((definition) => bind(definition, platform))

/** A custom resource built from its definition. */
export function widget(version: string, sizes: readonly string[] = ['small', 'large']): ResourceDefinition {
  const openAPIV3Schema = {
    type: 'object',
    description: 'Something to sell.',
    properties: {
      spec: {
        type: 'object',
        required: ['size'],
        properties: {
          size: { type: 'string', description: 'How large it is.', enum: [...sizes], maxLength: 9 },
          weight: { type: 'integer', format: 'int32', minimum: 1, default: 3 },
          port: { 'x-kubernetes-int-or-string': true },
          tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
          extra: { type: 'object', additionalProperties: { type: 'boolean' }, nullable: true },
        },
      },
    },
  }
  const scale = { specReplicasPath: '.spec.weight', statusReplicasPath: '.status.weight' }
  const [{ row } = assert.fail()] = customResourceRows({
    spec: {
      group: 'shop.example.com',
      scope: 'Namespaced',
      names: {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        listKind: 'WidgetList',
        shortNames: ['wd'],
        categories: ['all', 'shop'],
      },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {}, scale } }],
    },
  })
  return row
}

export interface ChangingResources extends DefinitionSource {
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

/** A request to a fixed path, as the server hands it on. */
export const asked = (url: URL, init: RequestInit = {}): FixedRequest => ({
  request: new Request(url, init),
  path: url.pathname,
  query: url.searchParams,
})

interface Responder {
  respond(request: FixedRequest): Promise<Response> | undefined
}

export async function get(from: Responder, path: string, headers: Record<string, string> = {}): Promise<Response> {
  const url = new URL(path, 'http://server')
  const response = await from.respond(asked(url, { headers }))
  if (!response) throw new Error(`nothing at ${path}`)
  return response
}

export const clockAt = (milliseconds: number) => ({ now: () => milliseconds, monotonic: () => milliseconds, after: () => () => {} })

/** What records the values of one row. */
export const recorder = <Type extends MetricType, const Labels extends readonly string[]>(
  metrics: Pick<Metrics, 'record'>,
  row: MetricRow<Type, Labels>,
) => metrics.record({ row }).row
