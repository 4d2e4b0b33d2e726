/** The results of a check as text, JSON and JUnit XML. */
import type { Unexercised } from './exercised.ts'
import type { Unreadable } from './manifests.ts'
import { nameOf, shownName, type Verdict } from './verdict.ts'

export interface Results {
  readonly verdicts: readonly Verdict[]
  readonly unreadable: readonly Unreadable[]
  /** Absent: not asked for. */
  readonly unexercised?: readonly Unexercised[]
}

/** Whether nothing was refused. */
export const passed = ({ verdicts, unreadable }: Results) =>
  unreadable.length === 0 && verdicts.every(({ outcome }) => outcome !== 'invalid')

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

function summary({ verdicts, unreadable }: Results): string {
  const files = new Set([...verdicts.map(({ manifest }) => manifest.file), ...unreadable.map(({ file }) => file)]).size
  const count = (outcome: Verdict['outcome']) => verdicts.filter((each) => each.outcome === outcome).length
  const parts = [`${count('valid')} valid`, `${count('invalid')} invalid`]
  if (count('skipped') > 0) parts.push(`${count('skipped')} skipped, as the server does not know their kinds`)
  if (unreadable.length > 0) parts.push(`${counted(unreadable.length, 'document')} could not be read`)
  return `${counted(verdicts.length, 'object')} in ${counted(files, 'file')}: ${parts.join(', ')}`
}

function text(results: Results): string {
  const lines = results.verdicts.flatMap(({ manifest, problems, warnings }) => {
    const name = shownName(nameOf(manifest))
    return [
      ...problems.map(({ line, message }) => `${manifest.file}:${line}: ${name}: ${message}`),
      ...warnings.map((warning) => `${manifest.file}:${manifest.line}: ${name}: warning: ${warning}`),
    ]
  })
  const unreadable = results.unreadable.map(({ file, line, message }) => `${file}:${line}: ${message}`)
  const unexercised = (results.unexercised ?? []).map(
    ({ owner, rule }) => `not exercised: ${owner}${rule === undefined ? '' : `, ${rule}`}`,
  )
  return [...unreadable, ...lines, ...unexercised, summary(results), ''].join('\n')
}

function json(results: Results): string {
  const objects = results.verdicts.map(({ manifest, ...verdict }) => {
    const { file, line, apiVersion } = manifest
    return { file, line, apiVersion, ...nameOf(manifest), ...verdict }
  })
  const { unreadable, unexercised } = results
  return `${JSON.stringify({ objects, unreadable, ...(unexercised && { unexercised }) }, null, 2)}\n`
}

/** Characters of an XML 1.0 document. */
const written = (value: string) =>
  value
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 has no characters for them.
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`)

const attributes = (values: { readonly [name: string]: string | number }) =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${written(String(value))}"`)
    .join('')

interface Case {
  readonly file: string
  readonly name: string
  readonly inner: string
}

const failureOf = (message: string, at: string) => `<failure${attributes({ message })}>${written(`${at}: ${message}`)}</failure>`

function junit(results: Results): string {
  const cases: Case[] = [
    ...results.unreadable.map(({ file, line, message }) => ({ file, name: `line ${line}`, inner: failureOf(message, `${file}:${line}`) })),
    ...results.verdicts.map(({ manifest, outcome, problems }) => ({
      file: manifest.file,
      name: shownName(nameOf(manifest)),
      inner:
        outcome === 'skipped' ? '<skipped/>' : problems.map(({ line, message }) => failureOf(message, `${manifest.file}:${line}`)).join(''),
    })),
  ]
  const suites = [...new Set(cases.map(({ file }) => file))].map((file) => {
    const own = cases.filter((each) => each.file === file)
    const count = (element: string) => own.filter(({ inner }) => inner.startsWith(`<${element}`)).length
    const body = own.map(({ name, inner }) => `    <testcase${attributes({ classname: file, name })}>${inner}</testcase>`).join('\n')
    const head = attributes({ name: file, tests: own.length, failures: count('failure'), skipped: count('skipped') })
    return `  <testsuite${head}>\n${body}\n  </testsuite>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`
}

export const reports: { readonly [format: string]: (results: Results) => string } = { text, json, junit }
