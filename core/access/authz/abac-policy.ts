/** Reads an ABAC policy file: one JSON object per line; lines that start with `#` are comments. */

import type { Platform } from '../../platform.ts'
import { isObject } from '../../schema/json/is-object.ts'
import { messageOf } from '../../schema/message-of.ts'

/** One line (abac/v1beta1 PolicySpec); absent fields are empty. */
export interface Policy {
  readonly user: string
  readonly group: string
  readonly readonly: boolean
  readonly apiGroup: string
  readonly resource: string
  readonly namespace: string
  readonly nonResourcePath: string
}

export interface PolicyFile {
  readonly policies: readonly Policy[]
  /** Number of lines in the oldest form, without apiVersion and kind. */
  readonly unversioned: number
}

type Line = { readonly [key: string]: unknown }

const authenticated = 'system:authenticated'
function text(object: Line, key: string): string {
  const value = (Object.hasOwn(object, key) ? object[key] : undefined) ?? ''
  if (typeof value !== 'string') throw new Error(`${key} must be a string`)
  return value
}

function truth(object: Line, key: string): boolean {
  const value = (Object.hasOwn(object, key) ? object[key] : undefined) ?? false
  if (typeof value !== 'boolean') throw new Error(`${key} must be true or false`)
  return value
}

/** `*` as user or group means every authenticated user. */
const withSubject = (user: string, group: string) => (user === '*' || group === '*' ? { user: '', group: authenticated } : { user, group })

function readSpec(line: Line): Policy {
  const spec = line['spec'] ?? {}
  if (!isObject(spec)) throw new Error('spec must be an object')
  return {
    ...withSubject(text(spec, 'user'), text(spec, 'group')),
    readonly: truth(spec, 'readonly'),
    apiGroup: text(spec, 'apiGroup'),
    resource: text(spec, 'resource'),
    namespace: text(spec, 'namespace'),
    nonResourcePath: text(spec, 'nonResourcePath'),
  }
}

/** The oldest form: absent fields match everything. */
function readUnversioned(line: Line): Policy {
  const [user, group, namespace, resource] = ['user', 'group', 'namespace', 'resource'].map((key) => text(line, key)) as [
    string,
    string,
    string,
    string,
  ]
  return {
    ...withSubject(user, user === '' && group === '' ? authenticated : group),
    readonly: truth(line, 'readonly'),
    apiGroup: '*',
    resource: resource || '*',
    namespace: namespace || '*',
    nonResourcePath: namespace === '' && resource === '' ? '*' : '',
  }
}

/** `path` is used in errors only. Throws an Error with the number and text of the first malformed line. */
export function parsePolicyFile(content: string, path: string, platform: Platform): PolicyFile {
  const policies: Policy[] = []
  let unversioned = 0
  for (const [index, raw] of content.split('\n').entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    try {
      const value: unknown = JSON.parse(line)
      if (!isObject(value)) throw new Error('must be an object')
      const kind = text(value, 'kind')
      const apiVersion = text(value, 'apiVersion')
      const versioned = kind !== '' && apiVersion !== ''
      const expected = platform.name('abac.authorization.<labels>/v1beta1')
      if (versioned && (kind !== 'Policy' || apiVersion !== expected)) {
        throw new Error(
          `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}; use Policy of ${expected}`,
        )
      }
      if (!versioned) unversioned++
      policies.push(versioned ? readSpec(value) : readUnversioned(value))
    } catch (error) {
      const why = messageOf(error)
      throw new Error(`error reading policy file ${path}, line ${index + 1}: ${line}: ${why}`)
    }
  }
  return { policies, unversioned }
}
