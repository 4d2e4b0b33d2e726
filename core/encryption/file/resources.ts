/** Resource names in an EncryptionConfiguration: `secrets`, `deployments.apps`, `*.apps`, `*.` (core group), `*.*`. */
import { append } from '../../common/lists.ts'
import type { Platform } from '../../platform.ts'
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'

interface Name {
  readonly text: string
  readonly resource: string
  readonly group: string
}

function readName(text: string): Name {
  const dot = text.indexOf('.')
  return { text, resource: dot === -1 ? text : text.slice(0, dot), group: dot === -1 ? '' : text.slice(dot + 1) }
}

/** Whether a wildcard covers another name. */
function covers(one: Name, other: Name): boolean {
  return one.resource === '*' && (one.group === '*' || one.group === other.group)
}

const withoutAPI = ['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations']

function nameProblem({ text, resource, group }: Name, platform: Platform): string | undefined {
  if (text.toLowerCase() !== text) return 'resource name should not contain capital letters'
  if (text === '*') return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources"
  if (withoutAPI.includes(text)) return 'resources which do not have REST API/s cannot be encrypted'
  if (group === platform.name('events.<domain>')) {
    return `'*.${group}' objects are stored using the 'events' API group in the store. Use 'events' instead in the config file`
  }
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption"
  return group === '*' && resource !== '*' ? 'encrypting the same resource across groups is not supported' : undefined
}

function validateList(names: readonly Name[], path: FieldPath, errors: FieldErrors): void {
  const texts = names.map(({ text }) => text)
  if (names.length === 0) errors.required(path, `at least one ${path} is required`)
  if (new Set(texts).size < texts.length) errors.invalid(path, texts, 'the same resource cannot be specified multiple times')
  const overlap = names.some((one) => names.some((other) => one.text !== other.text && covers(one, other)))
  if (overlap) {
    const detail = "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked"
    errors.invalid(path, texts, detail)
  }
}

/** Validates the names of each entry; a name covered by an earlier wildcard is an error, because it would have no effect. */
export function validateResources(entries: readonly (readonly string[])[], root: FieldPath, platform: Platform, errors: FieldErrors): void {
  const earlier: Name[] = []
  for (const [index, entry] of entries.entries()) {
    const path = root.index(index).child('resources')
    const names = entry.map(readName)
    validateList(names, path, errors)
    for (const [number, name] of names.entries()) {
      const problem = nameProblem(name, platform)
      const mask = earlier.find((one) => covers(one, name))
      if (problem !== undefined) errors.invalid(path.index(number), name.text, problem)
      else if (mask) errors.invalid(path.index(number), name.text, `has no effect, since ${mask.text} of an earlier entry overlaps it`)
    }
    append(earlier, names)
  }
}
