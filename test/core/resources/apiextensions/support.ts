/** A version of a custom resource as made from its definition, and the validation of its objects. */
import assert from 'node:assert/strict'
import { customResourceRows } from '../../../../core/resources/apiextensions/custom-resource.ts'
import type { SchemaNode } from '../../../../core/resources/apiextensions/schema-nodes.ts'
import type { ApiObject, ResourceDefinition } from '../../../../core/resources/definition.ts'
import { decode } from '../../../../core/schema/decode.ts'
import { applyDefaults } from '../../../../core/schema/defaults.ts'
import { FieldErrors } from '../../../../core/schema/field-error.ts'
import { FieldPath } from '../../../../core/schema/field-path.ts'
import type { HookContext, Json, JsonObject } from '../../../../core/schema/model.ts'
import { validate } from '../../../../core/schema/validate.ts'
import { hookContext } from '../../../support/hook-context.ts'

export interface VersionOptions {
  readonly subresources?: { readonly status?: object; readonly scale?: { specReplicasPath: string; statusReplicasPath: string } }
  readonly selectableFields?: { jsonPath: string }[]
  readonly additionalPrinterColumns?: { name: string; type: string; jsonPath: string; description?: string; priority?: number }[]
}

/** The resource definition of a version with this schema. */
export function rowOf(openAPIV3Schema: SchemaNode, options: VersionOptions = {}): ResourceDefinition {
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' }
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: openAPIV3Schema as JsonObject }, ...options }]
  const [{ row } = assert.fail()] = customResourceRows({ spec: { group: 'shop.test', scope: 'Namespaced', names, versions } })
  return row
}

/** An object as stored: decoded and defaulted. */
export function objectOf({ schema }: ResourceDefinition, members: { readonly [name: string]: Json }): ApiObject {
  const head = { kind: 'Thing', apiVersion: 'shop.test/v1', metadata: { name: 'one' } }
  const { value } = decode(schema, { ...head, ...members }, { root: true })
  applyDefaults(schema, value, hookContext())
  return value as ApiObject
}

export interface Verdict {
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
}

/** Errors and warnings of a create, or of an update of `old`. `status`: through the status subresource. */
export function judge(row: ResourceDefinition, object: ApiObject, old?: ApiObject, status = false): Verdict {
  const errors = new FieldErrors()
  const warnings: string[] = []
  const context: HookContext = { ...hookContext(), warn: (text) => warnings.push(text) }
  if (status) row.strategy.validateStatus?.(object, old ?? object, errors, context)
  else {
    validate(row.schema, object as Json, FieldPath.root, errors, context, old as Json | undefined)
    row.strategy.validate?.(object, errors, context, old)
  }
  return { errors: errors.list.map(({ field, message }) => `${field}: ${message}`), warnings }
}
