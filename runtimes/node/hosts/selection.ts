/** Which recorded requests a query asks for. */
import { validateOptions } from '../../../core/options/validate.ts'
import { type Selection, selectionRows } from '../../testing/selection.ts'

const lists = new Set(['verb', 'resource'])

/** @throws OptionError for another parameter. */
export function selectionOf(query: URLSearchParams): Selection {
  const given = Object.fromEntries([...query].map(([name, value]) => [name, lists.has(name) ? value.split(',') : value]))
  validateOptions('query', selectionRows, given)
  return given
}
