import type { Source } from './graph.ts'

/** Module-level variables, and constants that may change: weak collections, results of functions that remember, collections that their file changes. */
const declared =
  /^(?:export )?(?:(?<variable>let|var) (?<name>\w+)|const (?<constant>\w+)(?:: [^=\n]+)? = (?:new (?<made>\w+)\b|(?<remembers>once|reaching|lazy\w*)\(|(?<literal>[[{])))/gm
/** Fields of a class itself that can be assigned. */
const ofClass = /^ {2}static (?!readonly |async |get |\{)#?(?<field>\w+)(?:: [^=\n]+)?(?: =|$)/gm

const changes = (name: string, text: string) =>
  new RegExp(
    `\\b${name}(?:\\.(?:set|add|delete|clear|push|unshift|pop|shift|splice)\\(|(?:\\.\\w+|\\[[^\\]\\n]+\\]) (?:\\?\\?|[-+|&])?= )`,
  ).test(text)

/** `file: name` of the state that a module keeps, which all servers of a process would share. */
export function moduleState({ path, text }: Source): string[] {
  const constants = [...text.matchAll(declared)].flatMap(({ groups = {} }) => {
    const { name, constant = '', made = '', remembers } = groups
    if (name !== undefined) return [name]
    const isState = made.startsWith('Weak') || remembers !== undefined || changes(constant, text)
    return isState ? [constant] : []
  })
  const fields = [...text.matchAll(ofClass)].map(({ groups }) => groups?.['field'] ?? '')
  return [...constants, ...fields].map((name) => `${path}: ${name}`)
}
