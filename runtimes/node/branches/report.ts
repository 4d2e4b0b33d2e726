/** Differences of a branch as text, and as YAML to apply. */

import { tokensOf } from '../../../core/apply/json-patch.ts'
import { isObject } from '../../../core/schema/json/is-object.ts'
import type { Json, JsonObject } from '../../../core/schema/model.ts'
import { yamlText } from '../../../core/schema/yaml/text.ts'
import { textOf } from '../../testing/changes.ts'
import type { Difference, Differences } from './differences.ts'

/** A branch in the interface's answers. */
export interface Described {
  readonly name: string
  readonly owner: string
  readonly revision: string
  readonly expires: string
}

export const branchesText = (branches: readonly Described[]): string =>
  branches.map(({ name, owner, revision, expires }) => `${name}\tof ${owner}, at revision ${revision}, until ${expires}\n`).join('')

const signs = { created: '+', changed: '~', deleted: '-' }

const nameOf = ({ kind, apiVersion, namespace, name }: Difference) =>
  `${kind}${apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : ''} ${namespace === undefined ? '' : `${namespace}/`}${name}`

/** Values of Secrets are not printed. */
function shown({ kind, apiVersion }: Difference, changes: NonNullable<Difference['changes']>): NonNullable<Difference['changes']> {
  if (kind !== 'Secret' || apiVersion !== 'v1') return changes
  const mask = (value: unknown) => (value === undefined ? value : '***')
  return changes.map((change) =>
    /^\/(?:data|stringData)(?:\/|$)/.test(change.path)
      ? { path: change.path, before: mask(change.before), after: mask(change.after) }
      : change,
  )
}

function differenceText(each: Difference): string {
  const { difference, moved, automatic, changes = [] } = each
  const remarks = [
    ...(automatic ? ['by a controller'] : []),
    ...(moved ? ['MOVED: the live object has changed since the branch began'] : []),
  ]
  const head = `${signs[difference]} ${nameOf(each)} ${difference}${remarks.length > 0 ? ` (${remarks.join('; ')})` : ''}\n`
  const lines = textOf(shown(each, changes))
  return head + (lines === '' ? '' : `${lines.replaceAll(/^/gm, '    ')}\n`)
}

const countOf = (differences: readonly Difference[], of: Difference['difference']) =>
  `${differences.filter(({ difference }) => difference === of).length} ${of}`

export function differencesText({ branch, revision, differences, hidden }: Differences): string {
  const moved = differences.filter((each) => each.moved).length
  const counts = [countOf(differences, 'created'), countOf(differences, 'changed'), countOf(differences, 'deleted'), `${moved} moved`]
  const rest = hidden > 0 ? `; ${hidden} that you may not read` : ''
  return `${differences.map(differenceText).join('')}branch ${branch} since revision ${revision}: ${counts.join(', ')}${rest}\n`
}

/** An object that says null where a change has removed a member: apply removes it then, whoever has set it. */
function withRemovals({ object = {}, changes = [] }: Difference): JsonObject {
  const copy = structuredClone(object) as JsonObject
  for (const { path, after } of changes) {
    if (after !== undefined) continue
    const names = tokensOf(path).slice(1)
    const last = names.pop()
    let at: Json | undefined = copy
    for (const name of names) {
      if (isObject(at) && at[name] === undefined) Object.assign(at, { [name]: {} })
      at = isObject(at) ? at[name] : Array.isArray(at) ? at[Number(name)] : undefined
    }
    if (isObject(at) && last !== undefined) Object.assign(at, { [last]: null })
  }
  return copy
}

/** What `kubectl apply` takes: created and changed objects without their status, and as comments what was deleted. */
export function differencesYaml({ differences }: Differences): string {
  const byHand = differences.filter(({ automatic }) => !automatic)
  const documents = byHand.flatMap((each) => {
    if (each.object === undefined) return []
    const { status: _, ...object } = withRemovals(each)
    return [`---\n${each.moved ? '# The live object has changed since the branch began.\n' : ''}${yamlText(object)}`]
  })
  const deleted = byHand.filter(({ difference }) => difference === 'deleted')
  const commands = deleted.map(({ apiVersion, kind, namespace, name }) => {
    const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
    const type = group === '' ? kind : `${kind}.${version}.${group}`
    return `# kubectl delete ${namespace === undefined ? '' : `--namespace=${namespace} `}${type.toLowerCase()} ${name}\n`
  })
  return documents.join('') + (commands.length > 0 ? `# Deleted in the branch:\n${commands.join('')}` : '')
}
