import type { AdmissionAttributes, AdmissionOperation, MutationRounds } from '../../../core/admission/attributes.ts'
import type { User } from '../../../core/request/exchange.ts'
import { ConfigMap } from '../../../core/resources/core/configmap.ts'
import type { ApiObject } from '../../../core/resources/definition.ts'

export interface Write {
  /** `pods`, `pods/status` or `leases.coordination.k8s.io`. */
  readonly on: string
  readonly operation: AdmissionOperation
  readonly object?: object
  readonly old?: object
  readonly name?: string
  readonly namespace?: string
  readonly user?: User
  readonly dryRun?: boolean
  readonly warn?: (text: string) => void
  readonly annotate?: AdmissionAttributes['annotate']
}

/** Mutation that runs once, without reinvocation. */
export const once: MutationRounds = { again: false, repeat() {} }

/** Attributes of a write, made without a server. */
export function attributesOf({ on, operation, object, old, namespace = '', user, ...more }: Write): AdmissionAttributes {
  const [qualified = '', subresource = ''] = on.split('/')
  const dot = qualified.indexOf('.')
  const [resource, group] = dot < 0 ? [qualified, ''] : [qualified.slice(0, dot), qualified.slice(dot + 1)]
  const [given, before] = [object, old] as (ApiObject | undefined)[]
  return {
    operation,
    groupResource: { group, resource },
    resource: { group, version: 'v1', resource },
    kind: { group, version: 'v1', kind: given?.kind ?? '' },
    namespaced: namespace !== '',
    subresource,
    namespace,
    name: more.name ?? given?.metadata?.name ?? before?.metadata?.name ?? '',
    object: given,
    oldObject: before,
    versions: { all: () => [], convert: async (each) => each, decode: (value) => value as unknown as ApiObject, schemaOf: () => ConfigMap },
    options: undefined,
    user: user ?? { name: 'jane', groups: [] },
    signal: new AbortController().signal,
    dryRun: more.dryRun ?? false,
    waited: () => {},
    warn: more.warn ?? (() => {}),
    annotate: more.annotate ?? (() => {}),
  }
}
